public import SealiteFile
internal import GRDB
internal import Glibc
public import SealiteMaintenance

extension Database {
    /// Opens the database in an unlocked sealed file; creates its tables if the file is empty.
    ///
    /// - Throws: `wrongFormat` for a sealed file without a document database, `databaseTooNew` for a database of a
    ///   later version, `databaseTooOld` for one of a removed format, `cancelled` if the configuration's
    ///   `indexProgress` returned false, and errors from opening the file.
    public convenience init(
        file: SealedDatabase, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        try self.init(opener: SealedOpener(handle: file), configuration: configuration)
    }

    /// Unlocks a sealed file and opens its database.
    ///
    /// With a passphrase this takes as long as scrypt, about half a second: don't call it on an executor that must not
    /// block.
    ///
    /// - Throws: `SealedFileError` if the file can't be unlocked, with a code for a wrong key, a file that isn't
    ///   sealed, was altered or doesn't exist; otherwise the errors of ``init(file:configuration:)``.
    public static func open(
        _ path: String, key: borrowing UnlockKey, limits: UnlockLimits = UnlockLimits(),
        configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws -> Database {
        try Database(file: try SealedDatabase.open(path, key: key, limits: limits), configuration: configuration)
    }

    /// Creates a sealed file with a database. An existing file is never changed.
    ///
    /// - Throws: `SealedFileError`: `exists`, `permission`, `diskFull` and other errors from creating a sealed file.
    public static func create(
        _ path: String, slot: borrowing NewSlotSecret, options: CreationOptions = CreationOptions(),
        configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws -> Database {
        try Database(
            file: try SealedDatabase.create(path, slot: slot, options: options), configuration: configuration)
    }

    /// Unlocks a sealed file with the key of a key store, for example a credential store, and opens its database.
    /// Doesn't block the calling task's thread.
    ///
    /// ```swift
    /// import SealiteCredentials
    /// import SealiteDatabase
    ///
    /// let store = try await Credentials.openStore().store
    /// let notes = try await Database.open("notes.db", keyFrom: store.keys())
    /// ```
    /// - Throws: the errors of the key store, if it has no key or isn't available; otherwise the errors of
    ///   `open(_:key:limits:configuration:)`.
    public static func open(
        _ path: String, keyFrom store: any SlotKeyStore, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        let file = try await SealedDatabase.open(path, keyFrom: store)
        return try await Offload.run { try Database(file: file, configuration: configuration) }
    }

    /// Creates a sealed file with a database, under a random key that the key store has stored before anything is
    /// sealed under it. Doesn't block the calling task's thread. If the key store is lost, only `options.recoveryKey`
    /// opens the file; without a recovery key nothing does.
    ///
    /// - Throws: the errors of the key store; otherwise the errors of `create(_:slot:options:configuration:)`.
    public static func create(
        _ path: String, keyIn store: any SlotKeyStore, options: CreationOptions = CreationOptions(),
        configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        let file = try await SealedDatabase.create(path, keyIn: store, options: options)
        return try await Offload.run { try Database(file: file, configuration: configuration) }
    }

    /// Returns whether there is a sealed file at a path. The check needs no key, so it can't tell whether the file
    /// contains a document database.
    public static func exists(at path: String) -> Bool { SealedDatabase.isSealed(path) }

    /// Deletes a database's file and the files that belong to it. No `Database` may be open on the file.
    ///
    /// - Throws: `notFound` if there is no such file, `permissionDenied` and `ioError`.
    public static func delete(at path: String) throws {
        guard unsafe access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else {
            throw DatabaseError(.notFound, "there is no file \"\(path)\" to delete")
        }
        // The database file is deleted first: a log or journal that remains then belongs to no file, and can't be
        // replayed into another one.
        for suffix in ["", "-wal", "-shm", "-journal", "-rotate"]
        where unsafe unlink(path + suffix) != 0 && errno != ENOENT {
            throw DatabaseError(errno: errno, "the file \"\(path + suffix)\" can't be deleted")
        }
    }

    /// Closes the database and deletes its files.
    ///
    /// - Throws: the errors of `close()` and `delete(at:)`.
    public func delete() throws {
        guard let path else { throw DatabaseError(.notOpen, "the database was closed") }
        try close()
        try Self.delete(at: path)
    }

    /// Copies a snapshot of this database (documents, history and blobs) to a new sealed file. The copy has its own
    /// UUIDs, and therefore its own replication checkpoints. The file is created completely or not at all.
    ///
    /// Other threads and processes may read and write this database during the copy.
    ///
    /// - Parameters:
    ///   - path: the path of the copy; no file may exist there. The file's mode is 0600.
    ///   - slot: the secret of the copy's first key slot. The copy has new keys: only this secret opens it, and the
    ///     recovery key of `options` if there is one.
    ///   - options: the label of that slot, and the recovery key of an additional slot.
    /// - Throws: `SealedFileError` for the new file: `exists`, `permission`, `diskFull`, `invalidArgument`,
    ///   `costRefused`; errors from reading this database.
    public func copy(
        to path: String, slot: borrowing NewSlotSecret, options: BackupSlotOptions = BackupSlotOptions()
    ) throws {
        try checkOpen()
        var creation = CreationOptions(label: options.label, recoveryKey: options.recoveryKey)
        creation.pageSize = Int(try reading { try $0.integer("PRAGMA page_size") })
        try SealedDatabase.create(path, slot: slot, options: creation) { draft in
            try DatabaseError.mapping { try copy(into: SealedOpener(handle: draft)) }
        }
    }

    private func copy(into opener: some StorageOpener) throws {
        let target = try opener.openWriter(Self.connectionConfiguration(configuration, cacheKibibytes: 8192))
        // In every case the connection is closed, because the file may be removed.
        defer { try? target.close() }
        try readers.read { source in
            try target.writeWithoutTransaction { connection in
                try connection.useLog(isFullySynchronous: false)
                try source.backup(to: connection)
            }
        }
        try target.write { connection in
            let previous = try FormatTables.property("privateUUID", in: connection) ?? []
            try FormatTables.setProperty("previousPrivateUUID", previous, in: connection)
            try FormatTables.setIdentity(in: connection)
            // If two databases write versions with one source id, each takes the other's changes for older ones.
            if try FormatTables.versioning(of: connection) == .vectors {
                try VersionStamp.renewSource(configuration.sourcePlace(opener.path), in: connection)
            }
        }
        try target.close()
    }
}
