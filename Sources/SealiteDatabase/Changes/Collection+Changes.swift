internal import GRDB
internal import SealiteRevisions

extension Collection {
    /// Returns the documents that changed after a sequence, each once with its latest change, in order of sequence. To
    /// continue, pass the sequence of the last change.
    ///
    /// - Parameters:
    ///   - sequence: the last sequence that the caller knows, 0 for all.
    ///   - limit: the maximum number of changes.
    ///   - includingDeleted: true to include deleted documents.
    /// - Returns: the changes, empty if there are none.
    /// - Throws: `notOpen`, and errors of the storage.
    public func changes(
        since sequence: UInt64, limit: Int = 1000, includingDeleted: Bool = true
    ) throws -> [DocumentChangeRecord] {
        try database.reading { try self.changes(since: Int64(clamping: sequence), limit, includingDeleted, $0) }
    }

    /// The asynchronous form of ``changes(since:limit:includingDeleted:)``, which doesn't block the calling task's
    /// thread.
    public func changes(
        since sequence: UInt64, limit: Int = 1000, includingDeleted: Bool = true
    ) async throws -> [DocumentChangeRecord] {
        try await database.readers.read {
            try self.changes(since: Int64(clamping: sequence), limit, includingDeleted, $0)
        }
    }

    func changes(
        since sequence: Int64, _ limit: Int, _ includingDeleted: Bool, _ connection: GRDB.Database
    ) throws -> [DocumentChangeRecord] {
        let statement = try PreparedStatement(
            connection,
            """
            SELECT sequence, id, flags, revision FROM \(sql.table)
            WHERE sequence > ?1 \(includingDeleted ? "" : "AND +number > 0") ORDER BY sequence LIMIT ?2
            """)
        statement.bind(sequence, at: 1)
        statement.bind(Int64(max(limit, 0)), at: 2)
        var records: [DocumentChangeRecord] = []
        var last = sequence
        while try statement.step() {
            let flags = RowFlags(rawValue: statement.int64(at: 2))
            let found = try statement.sequence(at: 0)
            guard found > last else { throw DatabaseError.disorder("sequences", in: sql.table) }
            last = found
            records.append(
                DocumentChangeRecord(
                    id: try statement.documentID(at: 1), sequence: UInt64(found),
                    isDeleted: flags.contains(.deleted), hasConflict: flags.contains(.conflicted),
                    revision: try statement.revision(at: 3)))
        }
        return records
    }

    /// Returns the number of purges in the collection since it was created.
    func purgeCount(_ connection: GRDB.Database) throws -> Int64 {
        let statement = try PreparedStatement(connection, "SELECT purges FROM collections WHERE number = ?1")
        statement.bind(Int64(number), at: 1)
        guard try statement.step() else { throw DatabaseError(.notOpen, "the collection \"\(fullName)\" was deleted") }
        return try statement.number(at: 0, atLeast: 0, "the stored count of purges in the collection \"\(fullName)\"")
    }

    /// Returns the position of the collection's last change, read by one statement, and therefore from one state.
    ///
    /// - Throws: `notOpen` if the collection was deleted.
    func position(_ connection: GRDB.Database) throws -> ChangePosition {
        let statement = try PreparedStatement(connection, sql.position)
        guard try statement.step() else { throw DatabaseError(.notOpen, "the collection \"\(fullName)\" was deleted") }
        return ChangePosition(
            sequence: try statement.number(
                at: 0, atLeast: 0, "the stored sequence of the collection \"\(fullName)\""),
            purges: try statement.number(
                at: 1, atLeast: 0, "the stored count of purges in the collection \"\(fullName)\""))
    }
}
