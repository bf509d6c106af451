internal import GRDB
internal import SealiteFile
internal import SealiteJSON

extension Database {
    /// Performs maintenance. It blocks writers, except for the integrity check.
    ///
    /// - Throws: `corruptData` if an integrity check finds damage, with the first finding; `invalidParameter` in a
    ///   transaction, except for the integrity check; `diskFull`.
    public func performMaintenance(type: MaintenanceType) throws {
        try checkOpen()
        try readers.withoutKeptLocks { try maintain(type) }
    }

    private func maintain(_ type: MaintenanceType) throws {
        switch type {
        case .compact:
            try writer.requireNoTransaction()
            _ = try freeBlobs { _ in true }
            try writer.withoutTransaction { connection in
                try connection.execute(sql: "VACUUM")
                try connection.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
        case .reindex:
            try writer.withoutTransaction { connection in
                try connection.inTransaction {
                    try connection.run("REINDEX")
                    try IndexTables.rebuildAll(in: connection)
                }
            }
        case .optimize: try writer.withoutTransaction { try $0.execute(sql: "PRAGMA optimize") }
        case .fullOptimize: try writer.withoutTransaction { try $0.execute(sql: "ANALYZE") }
        case .integrityCheck:
            let findings = try integrityFindings()
            guard let first = findings.first else { return }
            throw DatabaseError(
                .corruptData,
                "the integrity check found damage (at least \(findings.count) findings); the first: \(first)",
                hint: "integrityFindings() returns up to \(DocumentCheck.findingLimit) findings")
        }
    }

    /// The asynchronous form of ``performMaintenance(type:)``, which doesn't block the calling task's thread.
    public func performMaintenance(type: MaintenanceType) async throws {
        try await Offload.run { try self.performMaintenance(type: type) }
    }

    /// Returns the findings of an integrity check, at most 100; empty if there is no damage. Content is not quoted.
    /// Checks one snapshot of the database, unaffected by commits meanwhile.
    public func integrityFindings() throws -> [String] {
        try read {
            try reading { connection in
                let findings = try Self.findingsOfSQLite(connection)
                return Array(
                    (findings + (try DocumentCheck(connection).report().findings)).prefix(DocumentCheck.findingLimit))
            }
        }
    }

    /// Returns what SQLite's check finds. SQLite 3.44 and later check virtual tables too, and end with an error if one can't be
    /// opened: then all others are checked, and the check of documents tells about the index.
    private static func findingsOfSQLite(_ connection: GRDB.Database) throws -> [String] {
        func findings(_ argument: String) throws -> [String] {
            try String.fetchAll(connection, sql: "PRAGMA integrity_check(\(argument))").filter { $0 != "ok" }
        }
        do {
            return try findings("100")
        } catch let error where TextTable.isOfTable(error) {
            let names = try String.fetchAll(
                connection, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
            return try names.flatMap { try findings($0.quoted("\"")) }
        }
    }

    /// Counts the content of one snapshot of the database.
    public func statistics() throws -> DatabaseStatistics {
        try read { try reading { try self.statistics($0) } }
    }

    private func statistics(_ connection: GRDB.Database) throws -> DatabaseStatistics {
        let collections = try allCollections(connection).map { collection in
            let table = collection.sql.table
            return DatabaseStatistics.Collection(
                fullName: collection.fullName,
                documentCount: UInt64(clamping: try connection.integer(collection.sql.count)),
                deletedCount: UInt64(clamping: try connection.integer(collection.sql.tombstoneCount)),
                conflictCount: UInt64(
                    clamping: try connection.integer("SELECT count(*) FROM \(table) WHERE flags & 2")),
                deltaBaseByteCount: UInt64(
                    clamping: try connection.integer(
                        "SELECT ifnull(sum(length(tree)), 0) FROM \(table) WHERE flags & 8")),
                lastSequence: UInt64(try collection.lastSequence(connection)))
        }
        let pageSize = try connection.integer("PRAGMA page_size")
        return DatabaseStatistics(
            collections: collections.sorted { $0.fullName < $1.fullName },
            blobCount: UInt64(clamping: try connection.integer("SELECT count(*) FROM blobs WHERE digest IS NOT NULL")),
            blobByteCount: UInt64(clamping: try connection.integer("SELECT ifnull(total(length), 0) FROM blobs")),
            byteCount: UInt64(clamping: try connection.integer("PRAGMA page_count") * pageSize),
            freeByteCount: UInt64(clamping: try connection.integer("PRAGMA freelist_count") * pageSize))
    }
}

/// A kind of maintenance.
public enum MaintenanceType: String, Sendable, CaseIterable {
    /// Removes the bases of deltas, and the blobs that no document refers to, except those stored within the last day that
    /// still wait for their first reference, and returns free space to the file system. Needs as much free disk space as the file takes.
    case compact
    /// Rebuilds the indexes.
    case reindex
    /// Checks that all stored data is undamaged and follows the format.
    case integrityCheck
    /// Gathers statistics for queries if they are outdated.
    case optimize
    /// Gathers statistics for queries from all data.
    case fullOptimize
}

/// Counts of a database's content.
public struct DatabaseStatistics: Sendable {
    /// Counts of one collection's content.
    public struct Collection: Sendable {
        /// The scope's name and the collection's name: `scope.name`.
        public let fullName: String
        /// The number of documents, not counting deleted documents.
        public let documentCount: UInt64
        /// The number of tombstones, which record the deletions of documents.
        public let deletedCount: UInt64
        /// The number of documents with a conflict that waits for resolution.
        public let conflictCount: UInt64
        /// The number of bytes of the histories of documents with bases of deltas, earlier bodies that peers have.
        public let deltaBaseByteCount: UInt64
        /// The sequence of the last change in the collection; 0 if there was none.
        public let lastSequence: UInt64
    }

    /// The counts for each collection, sorted by `fullName`.
    public let collections: [Collection]
    /// The number of stored blobs, whether a document refers to them or not.
    public let blobCount: UInt64
    /// The number of bytes of the content of all stored blobs.
    public let blobByteCount: UInt64
    /// The number of bytes of all pages of the database, free pages included.
    public let byteCount: UInt64
    /// The number of bytes of the database's free pages, which hold no data.
    public let freeByteCount: UInt64
}
