internal import GRDB
internal import SealiteRevisions

/// The latest change of a document: where it stands in the collection's order of changes.
public struct DocumentChangeRecord: Sendable, Hashable {
    /// The document's id.
    public let id: String
    /// The place of the change among all changes of the collection.
    public let sequence: UInt64
    /// Whether the document was deleted.
    public let isDeleted: Bool
    /// Whether branches of its history wait for a conflict's resolution.
    public let hasConflict: Bool
    let revision: RevisionID

    /// The revision that the change made.
    public var revisionID: String { revision.description }
}

extension Collection {
    /// The documents that changed after a sequence, each once with its latest change, in order of sequence. To go on, ask
    /// again since the last one's sequence.
    ///
    /// - Parameters:
    ///   - sequence: the last sequence already known, 0 for all.
    ///   - limit: how many at most.
    ///   - includingDeleted: whether tombstones count.
    /// - Returns: the changes, none when nothing changed.
    /// - Throws: `notOpen`, and what the storage throws.
    public func changes(
        since sequence: UInt64, limit: Int = 1000, includingDeleted: Bool = true
    ) throws -> [DocumentChangeRecord] {
        try database.reading { try self.changes(since: Int64(clamping: sequence), limit, includingDeleted, $0) }
    }

    /// The asynchronous form of ``changes(since:limit:includingDeleted:)``, which doesn't block the calling task's thread.
    public func changes(
        since sequence: UInt64, limit: Int = 1000, includingDeleted: Bool = true
    ) async throws -> [DocumentChangeRecord] {
        try await database.readers.read(database) {
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
        while try statement.step() {
            let flags = RowFlags(rawValue: statement.int64(at: 2))
            records.append(
                DocumentChangeRecord(
                    id: statement.text(at: 1), sequence: UInt64(statement.int64(at: 0)),
                    isDeleted: flags.contains(.deleted), hasConflict: flags.contains(.conflicted),
                    revision: try statement.revision(at: 3)))
        }
        return records
    }

    /// How many documents were ever purged.
    func purgeCount(_ connection: GRDB.Database) throws -> Int64 {
        let statement = try PreparedStatement(connection, "SELECT purges FROM collections WHERE number = ?1")
        statement.bind(Int64(number), at: 1)
        guard try statement.step() else { throw DatabaseError(.notOpen, "the collection \"\(fullName)\" was deleted") }
        return statement.int64(at: 0)
    }
}
