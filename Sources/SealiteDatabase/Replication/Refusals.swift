internal import GRDB
package import SealiteRevisions

/// The table of revisions that remotes refused (Documentation/DocumentFormat.md §3). A row is valid only while the
/// document still has the refused revision and the remote isn't known to have it.
enum Refusals {
    /// The maximum number of recorded refusals for one remote and collection.
    static let limit = 10_000
}

extension ReplicatedCollection {
    /// Records refusals by the remote, each replacing an earlier one of the same document. The refusal of a document
    /// that has changed meanwhile is skipped. If the remote was recorded to have the refused revision, it is no longer.
    ///
    /// - Returns: the refusals that exceeded the limit and weren't recorded.
    package func recordRefusals(_ refusals: [Refusal], limit: Int = Refusals.limit) throws -> [Refusal] {
        guard let remote else { return [] }
        return try collection.database.writer.perform(collection.database) { transaction in
            var room = limit - (try self.refusalCount(transaction.connection))
            if room < refusals.count {
                try self.removeStaleRefusals(transaction.connection)
                room = limit - (try self.refusalCount(transaction.connection))
            }
            var left: [Refusal] = []
            for refusal in refusals {
                guard var record = try self.collection.treeRecord(refusal.documentID, transaction.connection),
                    record.tree.current.id == refusal.version.id
                else { continue }
                if record.tree.remotes[remote] == 0 {
                    record.tree.forgetRemote(remote)
                    try transaction.updateTree(record, in: self.collection)
                }
                if try self.removeRefusal(refusal.documentID, transaction.connection) { room += 1 }
                guard room > 0 else {
                    left.append(refusal)
                    continue
                }
                room -= 1
                try self.insert(refusal, record.tree.current.id, remote, transaction.connection)
            }
            return left
        }
    }

    /// Removes the recorded refusals, by the remote, of the documents with these ids, if there are any.
    package func removeRefusals(_ ids: [String]) throws {
        try collection.database.writer.perform(collection.database) { transaction in
            for id in ids { _ = try self.removeRefusal(id, transaction.connection) }
        }
    }

    /// Returns the changes that the remote refused and that are still current, in order of sequence, at most `limit`.
    /// Refusals that are no longer valid are removed.
    package func refusedChanges(limit: Int) throws -> [LocalChange] {
        let refused = try refusals().map(\.refusal)
        guard try refused.count < collection.database.reading(refusalCount) else {
            return try changes(of: refused, limit)
        }
        try collection.database.writer.perform(collection.database) { try removeStaleRefusals($0.connection) }
        return try changes(of: refused, limit)
    }

    private func changes(of refused: [Refusal], _ limit: Int) throws -> [LocalChange] {
        let found = try collection.database.read { try refused.compactMap { try change(id: $0.documentID) } }
        return Array(found.sorted { $0.sequence < $1.sequence }.prefix(limit))
    }

    /// Returns the refusals by the remote that are still valid, sorted by document, each with the time at which it was
    /// stored, in milliseconds since 1970.
    package func refusals() throws -> [(refusal: Refusal, time: Int64)] {
        try collection.database.reading { try rows($0).filter(\.isCurrent).map { ($0.refusal, $0.time) } }
    }

    // MARK: - Rows

    private func refusalCount(_ connection: GRDB.Database) throws -> Int {
        guard let remote else { return 0 }
        let statement = try PreparedStatement(
            connection, "SELECT count(*) FROM refusals WHERE remote = ?1 AND collection = ?2")
        statement.bind(Int64(remote), at: 1)
        statement.bind(Int64(collection.number), at: 2)
        return try statement.step() ? Int(statement.int64(at: 0)) : 0
    }

    /// Returns every recorded refusal by the remote, with the time of recording in milliseconds since 1970, and with a
    /// Boolean value that says whether the refusal is still valid.
    private func rows(
        _ connection: GRDB.Database
    ) throws -> [(refusal: Refusal, time: Int64, isCurrent: Bool)] {
        guard let remote else { return [] }
        let statement = try PreparedStatement(
            connection,
            """
            SELECT refusals.id, refusals.revision, domain, code, reason, time, flags, tree,
                ifnull(refusals.revision = documents.revision, 0), ifnull(documents.sequence, 0)
            FROM refusals LEFT JOIN \(collection.sql.table) AS documents ON documents.id = refusals.id
            WHERE remote = ?1 AND collection = ?2 ORDER BY refusals.id
            """)
        statement.bind(Int64(remote), at: 1)
        statement.bind(Int64(collection.number), at: 2)
        var found: [(refusal: Refusal, time: Int64, isCurrent: Bool)] = []
        while try statement.step() {
            let revision = try statement.revision(at: 1)
            let refusal = Refusal(
                documentID: statement.text(at: 0), version: Version(revision),
                sequence: UInt64(clamping: statement.int64(at: 9)), domain: statement.text(at: 2),
                code: Int(statement.int64(at: 3)), reason: statement.text(at: 4))
            var isCurrent = statement.int64(at: 8) != 0
            if isCurrent {
                let flags = RowFlags(rawValue: statement.int64(at: 6))
                let tree = try RevisionTree(
                    stored: statement.bytes(at: 7), current: revision, isDeleted: flags.contains(.deleted))
                isCurrent = tree.remotes[remote] != 0
            }
            found.append((refusal, statement.int64(at: 5), isCurrent))
        }
        return found
    }

    private func removeStaleRefusals(_ connection: GRDB.Database) throws {
        for row in try rows(connection) where !row.isCurrent {
            _ = try removeRefusal(row.refusal.documentID, connection)
        }
    }

    private func insert(
        _ refusal: Refusal, _ revision: RevisionID, _ remote: Int, _ connection: GRDB.Database
    ) throws {
        let statement = try PreparedStatement(
            connection,
            """
            INSERT INTO refusals (remote, collection, id, revision, domain, code, reason, time)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        statement.bind(Int64(remote), at: 1)
        statement.bind(Int64(collection.number), at: 2)
        statement.bind(refusal.documentID, at: 3)
        statement.bind(revision.stored, at: 4)
        statement.bind(refusal.domain, at: 5)
        statement.bind(Int64(refusal.code), at: 6)
        statement.bind(refusal.reason, at: 7)
        statement.bind(Milliseconds.now, at: 8)
        try statement.run()
    }

    /// Removes the recorded refusal of a document by the remote.
    ///
    /// - Returns: false if there is none.
    private func removeRefusal(_ id: String, _ connection: GRDB.Database) throws -> Bool {
        guard let remote else { return false }
        let statement = try PreparedStatement(
            connection, "DELETE FROM refusals WHERE remote = ?1 AND collection = ?2 AND id = ?3")
        statement.bind(Int64(remote), at: 1)
        statement.bind(Int64(collection.number), at: 2)
        statement.bind(id, at: 3)
        try statement.run()
        return statement.changedRowCount == 1
    }
}

extension Database {
    /// Returns the remotes with which the database has synced, sorted by number; a remote's name is its URL.
    package func remotes() throws -> [(number: Int, name: String)] {
        try reading { connection in
            let statement = try PreparedStatement(connection, "SELECT number, name FROM remotes ORDER BY number")
            var found: [(number: Int, name: String)] = []
            while try statement.step() { found.append((Int(statement.int64(at: 0)), statement.text(at: 1))) }
            return found
        }
    }
}
