public import SealiteFile
internal import GRDB
internal import Glibc

extension Database {
    /// Opens the database in a sealed file that was unlocked; makes its tables in one that is empty.
    ///
    /// - Throws: `wrongFormat` for a sealed file that holds something else, `databaseTooNew` for a later version's, and what
    ///   opening the file throws.
    public convenience init(
        file: SealedDatabase, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        try self.init(opener: SealedOpener(handle: file), configuration: configuration)
    }

    /// Unlocks a sealed file and opens its database.
    ///
    /// With a passphrase this takes as long as scrypt does, about half a second: not for an executor that must not block. A
    /// recovery slot of an earlier version opens a file only where `limits` accepts it; ``openingWarnings`` then says so.
    ///
    /// - Throws: `SealedFileError` when the file can't be unlocked: it says whether the key is wrong, the file isn't sealed,
    ///   altered or not there; else as ``init(file:configuration:)``.
    public static func open(
        _ path: String, key: borrowing UnlockKey, limits: UnlockLimits = UnlockLimits(),
        configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws -> Database {
        try Database(file: try SealedDatabase.open(path, key: key, limits: limits), configuration: configuration)
    }

    /// Warnings for a person about how the database's file was unlocked; empty where there is nothing to tell.
    public var openingWarnings: [SlotWarning] { (opener as? SealedOpener)?.handle.openingWarnings ?? [] }

    /// Makes a new sealed file with a database. A file that is there already is never touched.
    ///
    /// - Throws: `SealedFileError`: `exists`, `permission`, `diskFull` and what else making a sealed file throws.
    public static func create(
        _ path: String, slot: borrowing NewSlotSecret, options: CreationOptions = CreationOptions(),
        configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws -> Database {
        try Database(
            file: try SealedDatabase.create(path, slot: slot, options: options), configuration: configuration)
    }

    /// Unlocks a sealed file with the key that a keeper has, a credential store for example, and opens its database.
    /// Blocks no thread of the caller's.
    ///
    /// ```swift
    /// let store = try await Credentials.openStore().store
    /// let notes = try await Database.open("notes.db", keyFrom: store.keys())
    /// ```
    /// - Throws: what the keeper throws when it has no key or can't be asked; else as
    ///   ``open(_:key:limits:configuration:)``.
    public static func open(
        _ path: String, keyFrom keeper: any KeyKeeper, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        let file = try await SealedDatabase.open(path, keyFrom: keeper)
        return try await Offload.run { try Database(file: file, configuration: configuration) }
    }

    /// Makes a new sealed file with a database, under a random key that a keeper has before anything is sealed under it.
    /// Blocks no thread of the caller's. `options.recoveryKey` is the way in when the keeper is lost; without it there
    /// is none.
    ///
    /// - Throws: what the keeper throws; else as ``create(_:slot:options:configuration:)``.
    public static func create(
        _ path: String, keyIn keeper: any KeyKeeper, options: CreationOptions = CreationOptions(),
        configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        let file = try await SealedDatabase.create(path, keyIn: keeper, options: options)
        return try await Offload.run { try Database(file: file, configuration: configuration) }
    }

    /// Whether there is a sealed file at a path. Needs no key, so it can't say whether a database of documents is in it.
    public static func exists(at path: String) -> Bool { SealedDatabase.isSealed(path) }

    /// Deletes a database's file with the files that belong to it. No `Database` may be open on it.
    ///
    /// - Throws: `notFound` when there is no file, `permissionDenied` and `ioError`.
    public static func delete(at path: String) throws {
        guard unsafe access(path, F_OK) == 0 else {
            throw DatabaseError(.notFound, "there is no file \"\(path)\" to delete")
        }
        // The database first: what is left of the others then belongs to nothing and can't be replayed into another file.
        for suffix in ["", "-wal", "-shm", "-journal"] where unsafe unlink(path + suffix) != 0 && errno != ENOENT {
            let code = errno
            throw DatabaseError(
                code == EACCES || code == EPERM ? .permissionDenied : .ioError,
                "the file \"\(path + suffix)\" can't be deleted (errno \(code))")
        }
    }

    /// Closes the database and deletes its files.
    ///
    /// - Throws: as ``close()`` and ``delete(at:)``.
    public func delete() throws {
        guard let path else { throw DatabaseError(.notOpen, "the database was closed") }
        try close()
        try Self.delete(at: path)
    }

    /// Copies this database's present state, documents, history and blobs, into a new sealed file. The copy gets UUIDs of its
    /// own, so that its replication checkpoints are its own, before it gets its name: it appears whole or not at all.
    ///
    /// Others may go on reading and writing this database meanwhile.
    ///
    /// - Parameters:
    ///   - path: where the copy goes; must not exist. Its mode is 0600.
    ///   - slot: the secret of its first key slot. Its keys are new: nothing that opens this database opens the copy.
    ///   - options: the slot's label, and a recovery slot beside it.
    /// - Throws: `SealedFileError` for the new file: `exists`, `permission`, `diskFull`, `invalidArgument`, `costRefused`; what
    ///   reading this database throws.
    public func copy(
        to path: String, slot: borrowing NewSlotSecret, options: BackupSlotOptions = BackupSlotOptions()
    ) throws {
        try checkOpen()
        var creation = CreationOptions(label: options.label, recoveryKey: options.recoveryKey)
        creation.pageSize = Int(try reading { try $0.integer("PRAGMA page_size") })
        try SealedDatabase.create(path, slot: slot, options: creation) { draft in
            do {
                try copy(into: SealedOpener(handle: draft))
            } catch {
                throw DatabaseError.mapped(error)
            }
        }
    }

    private func copy(into opener: some StorageOpener) throws {
        let target = try opener.openPool(Self.connectionConfiguration(configuration, cacheKibibytes: 8192))
        // Whatever happens, no connection stays on a file that is going.
        defer { try? target.close() }
        try readers.read(self) { source in
            try target.writeWithoutTransaction { try source.backup(to: $0) }
        }
        try target.write { connection in
            let previous = try Schema.property("privateUUID", in: connection) ?? []
            try Schema.setProperty("previousPrivateUUID", previous, in: connection)
            for name in ["publicUUID", "privateUUID"] {
                try Schema.setProperty(name, try UUIDBytes.random(), in: connection)
            }
            // Two databases that write under one source would each take the other's changes for older ones.
            if try Schema.versioning(of: connection) == .vectors {
                try VersionStamp.renewSource(SourcePlace.digest(ofFileAt: opener.path), in: connection)
            }
        }
        try target.close()
    }
}
