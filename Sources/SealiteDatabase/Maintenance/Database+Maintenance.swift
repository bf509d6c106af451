internal import GRDB
internal import SealiteFile

extension Database {
    /// The time for which a blob may wait for its first reference, in milliseconds: a day.
    static let unreferencedBlobLifetime: Int64 = 86_400_000

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
            try collectBlobs(touchedBefore: Milliseconds.now - Self.unreferencedBlobLifetime)
            try writer.withoutTransaction { connection in
                try connection.execute(sql: "VACUUM")
                try connection.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
        case .reindex:
            try writer.withoutTransaction { connection in
                try connection.inTransaction {
                    try connection.run("REINDEX")
                    try IndexBuilder.rebuildAll(in: connection)
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

    /// Deletes the blobs that no document refers to any more, and those that still wait for a reference and were last
    /// used before `limit`, in milliseconds since 1970. Ten blobs are deleted in each transaction.
    ///
    /// - Returns: the number of deleted blobs.
    @discardableResult
    func collectBlobs(touchedBefore limit: Int64) throws -> Int {
        var removed = 0
        while true {
            let count = try writer.perform(self) { transaction in
                let store = BlobStore(transaction.connection)
                let numbers = try store.unreferenced(touchedBefore: limit, count: 10)
                for number in numbers { try store.remove(number) }
                return numbers.count
            }
            removed += count
            if count == 0 { return removed }
        }
    }

    /// Returns the findings of an integrity check, at most 100; empty if there is no damage. Content is not quoted.
    /// Checks one snapshot of the database, unaffected by commits meanwhile.
    public func integrityFindings() throws -> [String] {
        try read {
            try reading { connection in
                let findings = try String.fetchAll(connection, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
                return Array(
                    (findings + (try DocumentCheck(connection).report().findings)).prefix(DocumentCheck.findingLimit))
            }
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
                documentCount: UInt64(try connection.integer(collection.sql.count)),
                deletedCount: UInt64(try connection.integer(collection.sql.tombstoneCount)),
                conflictCount: UInt64(try connection.integer("SELECT count(*) FROM \(table) WHERE flags & 2")),
                lastSequence: UInt64(try collection.lastSequence(connection)))
        }
        let pageSize = try connection.integer("PRAGMA page_size")
        return DatabaseStatistics(
            collections: collections.sorted { $0.fullName < $1.fullName },
            blobCount: UInt64(try connection.integer("SELECT count(*) FROM blobs WHERE digest IS NOT NULL")),
            blobByteCount: UInt64(try connection.integer("SELECT ifnull(sum(length), 0) FROM blobs")),
            byteCount: UInt64(try connection.integer("PRAGMA page_count") * pageSize),
            freeByteCount: UInt64(try connection.integer("PRAGMA freelist_count") * pageSize))
    }
}
