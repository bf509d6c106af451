internal import GRDB
internal import SealiteCrypto
package import SealiteFile

extension Database {
    /// Opens the database file by means of `opener`, and creates the tables if they don't exist.
    package convenience init(
        opener: some StorageOpener, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        let (queue, versioning, expiration) = try Database.openedWriter(opener, configuration)
        let file = OpenFile(opener.path)
        let readers = Readers(file, limit: configuration.readerCount) { isFirst in
            try opener.openReader(configuration, caching: configuration.readCacheByteCount, isFirst: isFirst)
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
            opener, file, configuration, versioning, writer: Writer(file, queue), readers: readers, parts: parts,
            attachments: attachments)
        upkeep.start(for: self, expiration: expiration)
    }

    /// Opens the connection for writing, and creates the tables if they don't exist.
    ///
    /// - Returns: the connection, the form of the revision ids in the database, and the earliest expiration of a document if
    ///   it was read.
    private static func openedWriter(
        _ opener: some StorageOpener, _ configuration: DatabaseConfiguration
    ) throws -> (DatabaseQueue, DocumentVersioning, expiration: Int64??) {
        try DatabaseError.mapping {
            let writeCache = max(configuration.writeCacheByteCount / 1024, 64)
            let writer = try opener.openWriter(connectionConfiguration(configuration, cacheKibibytes: writeCache))
            do {
                let (versioning, expiration) = try writer.writeWithoutTransaction { connection in
                    // Before the journal mode changes, so that another program's file stays as it is.
                    let known = try knownContent(connection, opener.path)
                    try connection.useLog(isFullySynchronous: configuration.fullSync)
                    try connection.turnTriggersOff()
                    try connection.inTransaction { try prepare(connection, known, opener.path, configuration) }
                    let versioning = try FormatTables.versioning(of: connection) ?? .trees
                    // Outside of the transaction, which an error of reading would end.
                    return (versioning, nextExpiration(atOpeningOf: connection))
                }
                return (writer, versioning, expiration)
            } catch {
                try? writer.close()
                opener.removeEmptyLog()
                throw error
            }
        }
    }

    /// Creates the tables if they don't exist, and rebuilds indexes that another version of the program made. Called in
    /// a write transaction.
    private static func prepare(
        _ connection: GRDB.Database, _ known: FormatTables.Content?, _ path: String,
        _ configuration: DatabaseConfiguration
    ) throws {
        switch try FormatTables.prepare(connection, known: known, path: path) {
        case .nothing where configuration.versioning == .vectors:
            try VersionStamp.setVectors(place: configuration.sourcePlace(path), in: connection)
        case .nothing: break
        case .documents(let indexObjects):
            try IndexTables.buildStale(in: connection, indexObjects) { done in
                let progress = MigrationProgress(
                    rowCount: done.documentCount, totalRowCount: done.totalDocumentCount)
                guard configuration.indexProgress?(progress) ?? true else {
                    throw DatabaseError(
                        .cancelled,
                        "the rebuild of the indexes of \"\(path)\" was cancelled; the database is unchanged")
                }
            }
        }
    }

    /// Returns the content of the file; nil if it can't be read outside of a transaction, which then reports why.
    ///
    /// - Throws: `wrongFormat`, `databaseTooNew` or `databaseTooOld` for a file that isn't a document database of this
    ///   format.
    private static func knownContent(_ connection: GRDB.Database, _ path: String) throws -> FormatTables.Content? {
        do {
            return try FormatTables.content(of: connection, path: path)
        } catch let error as DatabaseError where [.wrongFormat, .databaseTooNew, .databaseTooOld].contains(error.code) {
            throw error
        } catch {
            return nil
        }
    }

    /// Returns whether the file of a connection is a document database, according to its application id or, if that was
    /// changed, to its tables. Both are sealed content, which can be changed only with a key.
    ///
    /// - Throws: `SealedFileError` if the schema can't be read.
    package static func isPresent(in connection: RawConnection) throws(SealedFileError) -> Bool {
        if try connection.integer("PRAGMA application_id") == FormatTables.applicationID { return true }
        let names = [
            "collections", "properties", "blob_references", "documents_\(FormatTables.defaultCollectionNumber)",
        ]
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        let count = try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND lower(name) IN (\(list))")
        return count == names.count
    }

    /// Returns the id under which a credential store keeps the credentials for serving this database: 32 hex digits.
    /// The id isn't secret.
    ///
    /// The id is derived from the private UUID (Documentation/DocumentFormat.md §3): a backup, a restore, a rotation
    /// of the keys and a salvage keep the id, so that a server's passwords and certificate are still found. A copy made
    /// with `copy(to:slot:options:)` is another database, and has another id.
    ///
    /// - Throws: `corruptData` if the UUID is missing, and errors from reading.
    public func serviceID() throws -> String { try Self.serviceID(privateUUID: try privateUUID()) }

    /// Returns the service id of the document database on a connection, under which the credentials for serving the
    /// database are kept; nil if the database has no private UUID.
    ///
    /// - Throws: `SealedFileError` if reading fails.
    package static func serviceID(of connection: RawConnection) throws(SealedFileError) -> String? {
        guard let uuid = try property("privateUUID", of: connection), uuid.count == 16 else { return nil }
        do throws(CryptoError) {
            return try serviceID(privateUUID: uuid)
        } catch {
            throw SealedFileError(
                .internalFailure,
                "deriving the id under which the database's credentials are stored failed: \(error.reason)")
        }
    }

    /// Returns the number of documents with bases of deltas in the document database on a connection, and the number of
    /// bytes of the histories in which they stand.
    ///
    /// - Throws: `SealedFileError` if reading fails.
    package static func deltaBases(
        of connection: RawConnection
    ) throws(SealedFileError) -> (documentCount: Int64, byteCount: Int64) {
        var (documents, bytes) = (Int64(0), Int64(0))
        for number in try connection.rows("SELECT number FROM collections", read: { $0.integer(0) }) {
            let table = "documents_\(number) WHERE flags & 8"
            documents += try connection.integer("SELECT count(*) FROM \(table)")
            bytes += try connection.integer("SELECT ifnull(sum(length(tree)), 0) FROM \(table)")
        }
        return (documents, bytes)
    }

    private static func serviceID(privateUUID: [UInt8]) throws(CryptoError) -> String {
        let id = try HKDF.deriveKey(
            inputKeyMaterial: unsafe SecretBytes(copying: privateUUID.span.bytes),
            info: Array("Sealite 1 service id".utf8),
            byteCount: 16)
        return unsafe id.withUnsafeBytes { unsafe Array($0) }.hex
    }
}
