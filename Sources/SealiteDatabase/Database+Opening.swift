internal import GRDB

extension Database {
    /// Opens the database file by means of `opener`, creates the tables if they don't exist, and migrates those of an
    /// earlier format.
    package convenience init(
        opener: some StorageOpener, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        let (pool, versioning) = try Database.openedPool(opener, configuration)
        let file = OpenFile(opener.path)
        let readers = Readers(file, limit: configuration.readerCount) { isFirst in
            do {
                let cache = max(configuration.readCacheByteCount / (isFirst ? 1024 : 6 * 1024), 64)
                return try opener.openReader(Database.connectionConfiguration(configuration, cacheKibibytes: cache))
            } catch {
                throw DatabaseError.mapped(error)
            }
        }
        let attachments = Attachments()
        let upkeep = UpkeepTimer(configuration.time)
        let parts: [any DatabasePart] = [
            BlobReferences(),
            attachments.object(DatabaseFeed.self) { DatabaseFeed(forFileAt: opener.path) },
            attachments.object(SyncWatch.self) { SyncWatch() },
            IndexKeepers(),
            upkeep,
            attachments.object(CursorConnections.self) { CursorConnections(opener, configuration) },
        ]
        self.init(
            opener, file, configuration, versioning, writer: Writer(file, pool), readers: readers, parts: parts,
            attachments: attachments)
        upkeep.start(for: self)
    }

    /// Opens the pool of connections for writing, and creates the tables or migrates those of an earlier format.
    ///
    /// - Returns: the pool, and the form of the revision ids in the database.
    private static func openedPool(
        _ opener: some StorageOpener, _ configuration: DatabaseConfiguration
    ) throws -> (DatabasePool, DocumentVersioning) {
        var earlierVersion: Int64?
        do {
            let known = try refuseOthers(opener, configuration)
            if case .documents(let found, _)? = known, found < Schema.version { earlierVersion = found }
            let writeCache = max(configuration.writeCacheByteCount / 1024, 64)
            let pool = try opener.openPool(connectionConfiguration(configuration, cacheKibibytes: writeCache))
            let path = opener.path
            let versioning = try pool.writeWithoutTransaction { connection in
                // Set after the connection was prepared, because GRDB's pool sets NORMAL after preparing it.
                try connection.execute(sql: "PRAGMA synchronous = \(configuration.fullSync ? "FULL" : "NORMAL")")
                try connection.turnTriggersOff()
                func report(_ progress: MigrationProgress) throws {
                    guard configuration.migrationProgress?(progress) ?? true else {
                        throw DatabaseError(
                            .cancelled,
                            "the migration of \"\(path)\", or of its indexes, was cancelled; the database is unchanged")
                    }
                }
                try connection.inTransaction {
                    switch try Schema.prepare(connection, known: known, path: path, progress: report) {
                    case .nothing where configuration.versioning == .vectors:
                        try VersionStamp.setVectors(place: configuration.sourcePlace(path), in: connection)
                    case .nothing: break
                    case .documents(_, let indexObjects):
                        try IndexBuilder.buildStale(in: connection, indexObjects) {
                            try report(
                                MigrationProgress(rowCount: $0.documentCount, totalRowCount: $0.totalDocumentCount))
                        }
                    }
                }
                return try Schema.versioning(of: connection) ?? .trees
            }
            return (pool, versioning)
        } catch {
            throw explained(DatabaseError.mapped(error), earlierVersion, opener.path)
        }
    }

    /// Refuses a file that isn't a document database before the connection pool touches it, because the pool changes
    /// the journal mode.
    ///
    /// - Returns: the content of the file; nil if only a connection that may write can read it.
    private static func refuseOthers(
        _ opener: some StorageOpener, _ configuration: DatabaseConfiguration
    ) throws -> Schema.Content? {
        do {
            return try content(opener, configuration)
        } catch let error as DatabaseError where [.wrongFormat, .databaseTooNew].contains(error.code) {
            opener.removeEmptyLog()
            throw error
        } catch {
            // Only a writer can repair the file after a crash: the pool does that, and reports a file that it can't
            // open either.
            return nil
        }
    }

    /// Returns what a file contains, by a connection that can't write and is closed.
    private static func content(
        _ opener: some StorageOpener, _ configuration: DatabaseConfiguration
    ) throws -> Schema.Content {
        let reader = try opener.openReader(connectionConfiguration(configuration, cacheKibibytes: 64))
        let content = Result { try reader.unsafeRead { try Schema.content(of: $0, path: opener.path) } }
        let closing = Result { try reader.close() }
        let found = try content.get()
        try closing.get()
        return found
    }

    /// Returns an error about a database that can't be written, with the reason why opening must write it: a migration.
    /// Other errors are returned unchanged.
    private static func explained(_ error: any Error, _ earlierVersion: Int64?, _ path: String) -> any Error {
        guard let earlierVersion, let error = error as? DatabaseError,
            [.permissionDenied, .cantOpenFile].contains(error.code)
        else { return error }
        return DatabaseError(
            .permissionDenied,
            "\"\(path)\" has document format \(earlierVersion) and must be migrated to format \(Schema.version), but can't be written",
            hint: "open a copy of the file in a folder that can be written", underlying: error)
    }
}
