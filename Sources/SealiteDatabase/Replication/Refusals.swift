internal import GRDB
package import SealiteRevisions

/// The table of refused revisions (Documentation/DocumentFormat.md §3): of the local ones that remotes refused, and of
/// those of remotes that this database couldn't store.
///
/// A refusal by the remote is valid only while the document still has the refused revision and the remote isn't known to
/// have it. A refusal by this side is valid until it is removed.
extension ReplicatedCollection {
    /// The maximum number of recorded refusals of one side for one remote and collection.
    static let refusalLimit = 10_000

    /// Records refusals of one side, each replacing an earlier one of the same document.
    ///
    /// A refusal by the remote is skipped if the document has changed meanwhile. If the remote was recorded to have the
    /// refused revision, it is no longer.
    ///
    /// - Returns: the positions of the refusals that exceeded the limit and weren't recorded.
    package func recordRefusals(_ refusals: [Refusal], limit: Int = refusalLimit) throws -> [Int] {
        guard let remote, let side = refusals.first?.side else { return [] }
        return try collection.database.writer.perform(collection.database) { transaction in
            var room = limit - (try self.refusalCount(side, transaction.connection))
            if side == .remote, room < refusals.count {
                try self.removeStaleRefusals(transaction.connection)
                room = limit - (try self.refusalCount(side, transaction.connection))
            }
            assert(refusals.allSatisfy { $0.side == side }, "a call records the refusals of one side")
            var left: [Int] = []
            for (index, refusal) in refusals.enumerated() {
                guard let revision = try self.stored(refusal, remote, transaction) else { continue }
                if try self.removeRefusal(refusal.documentID, side, transaction.connection) { room += 1 }
                guard room > 0 else {
                    left.append(index)
                    continue
                }
                room -= 1
                try self.insert(refusal, revision, transaction.connection)
            }
            return left
        }
    }

    /// Returns the refused revision as it is stored with the refusal; nil if the remote refused a revision that isn't
    /// the document's current one any more.
    private func stored(_ refusal: Refusal, _ remote: Int, _ transaction: Transaction) throws -> [UInt8]? {
        guard refusal.side == .remote else { return Array(refusal.version.text.utf8) }
        guard var record = try collection.treeRecord(refusal.documentID, transaction.connection),
            record.tree.current.id == refusal.version.id
        else { return nil }
        if record.tree.remotes[remote] == 0 {
            record.tree.forgetRemote(remote)
            try transaction.updateTree(record, of: refusal.documentID, in: collection)
        }
        return record.tree.current.id.stored
    }

    /// Removes the recorded refusals, by one side, of the documents with these ids, if there are any.
    package func removeRefusals(_ ids: [String], by side: Refusal.Side = .remote) throws {
        try collection.database.writer.perform(collection.database) { transaction in
            for id in ids { _ = try self.removeRefusal(id, side, transaction.connection) }
        }
    }

    /// Returns the changes that the remote refused and that are still current, in order of sequence, at most `limit`.
    /// Refusals that are no longer valid are removed.
    package func refusedChanges(limit: Int) throws -> [LocalChange] {
        let refused = try refusals().map(\.refusal)
        guard try refused.count < collection.database.reading({ try refusalCount(.remote, $0) }) else {
            return try changes(of: refused, limit)
        }
        try collection.database.writer.perform(collection.database) { try removeStaleRefusals($0.connection) }
        return try changes(of: refused, limit)
    }

    private func changes(of refused: [Refusal], _ limit: Int) throws -> [LocalChange] {
        let found = try collection.database.read { try refused.compactMap { try change(id: $0.documentID) } }
        return Array(found.sorted { $0.sequence < $1.sequence }.prefix(limit))
    }

    /// Returns the refusals by one side that are still valid, sorted by document, each with the time at which it was
    /// stored, in milliseconds since 1970.
    package func refusals(by side: Refusal.Side = .remote) throws -> [(refusal: Refusal, time: Int64)] {
        try collection.database.reading { connection in
            switch side {
            case .remote: try rows(connection).filter(\.isCurrent).map { ($0.refusal, $0.time) }
            case .local: try ownRows(connection)
            }
        }
    }

    // MARK: - Rows

    /// Returns the value of the column `remote` for the refusals of one side: the remote's number, negative for the
    /// refusals by this side. Nil for a peer without a number.
    private func key(_ side: Refusal.Side) -> Int64? {
        remote.map { side == .remote ? Int64($0) : -Int64($0) }
    }

    private func refusalCount(_ side: Refusal.Side, _ connection: GRDB.Database) throws -> Int {
        guard let key = key(side) else { return 0 }
        return Int(
            try connection.integer(
                "SELECT count(*) FROM refusals WHERE remote = ?1 AND collection = ?2", key, collection.number))
    }

    /// Returns every recorded refusal by the remote, with the time of recording in milliseconds since 1970, and with a
    /// Boolean value that says whether the refusal is still valid.
    private func rows(_ connection: GRDB.Database) throws -> [(refusal: Refusal, time: Int64, isCurrent: Bool)] {
        guard let remote else { return [] }
        return try connection.rows(
            """
            SELECT refusals.id, refusals.revision, domain, code, reason, time, flags, tree,
                ifnull(refusals.revision = documents.revision, 0), ifnull(documents.sequence, 0)
            FROM refusals LEFT JOIN \(collection.sql.table) AS documents ON documents.id = refusals.id
            WHERE remote = ?1 AND collection = ?2 ORDER BY refusals.id
            """, remote, collection.number
        ) { row in
            let revision = try row.revision(at: 1)
            let refusal = Refusal(
                documentID: row.text(at: 0), version: Version(revision), sequence: UInt64(clamping: row.int64(at: 9)),
                domain: row.text(at: 2), code: Int(row.int64(at: 3)), reason: row.text(at: 4))
            var isCurrent = row.int64(at: 8) != 0
            if isCurrent {
                let flags = RowFlags(rawValue: row.int64(at: 6))
                let tree = try RevisionTree(
                    stored: row.bytes(at: 7), current: revision, isDeleted: flags.contains(.deleted))
                isCurrent = tree.remotes[remote] != 0
            }
            return (refusal, row.int64(at: 5), isCurrent)
        }
    }

    /// Returns every recorded refusal by this side, with the time of recording in milliseconds since 1970.
    private func ownRows(_ connection: GRDB.Database) throws -> [(refusal: Refusal, time: Int64)] {
        guard let key = key(.local) else { return [] }
        return try connection.rows(
            """
            SELECT id, revision, domain, code, reason, time FROM refusals
            WHERE remote = ?1 AND collection = ?2 ORDER BY id
            """, key, collection.number
        ) { row in
            var refusal = Refusal(
                documentID: row.text(at: 0),
                version: Version(String(decoding: row.bytes(at: 1) ?? [], as: UTF8.self)), sequence: 0,
                domain: row.text(at: 2), code: Int(row.int64(at: 3)), reason: row.text(at: 4))
            refusal.side = .local
            return (refusal, row.int64(at: 5))
        }
    }

    private func removeStaleRefusals(_ connection: GRDB.Database) throws {
        for row in try rows(connection) where !row.isCurrent {
            _ = try removeRefusal(row.refusal.documentID, .remote, connection)
        }
    }

    private func insert(_ refusal: Refusal, _ revision: [UInt8], _ connection: GRDB.Database) throws {
        guard let key = key(refusal.side) else { return }
        try connection.run(
            """
            INSERT INTO refusals (remote, collection, id, revision, domain, code, reason, time)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """, key, collection.number, refusal.documentID, revision, refusal.domain, refusal.code, refusal.reason,
            Milliseconds.now)
    }

    /// Removes the recorded refusal of a document by one side.
    ///
    /// - Returns: false if there is none.
    private func removeRefusal(_ id: String, _ side: Refusal.Side, _ connection: GRDB.Database) throws -> Bool {
        guard let key = key(side) else { return false }
        return try connection.run(
            "DELETE FROM refusals WHERE remote = ?1 AND collection = ?2 AND id = ?3", key, collection.number, id) == 1
    }
}

extension Database {
    /// Returns the remotes with which the database has synced, sorted by number; a remote's name is its URL.
    package func remotes() throws -> [(number: Int, name: String)] {
        try reading {
            try $0.rows("SELECT number, name FROM remotes ORDER BY number") { row in
                (try row.remoteNumber(at: 0), row.text(at: 1))
            }
        }
    }
}
