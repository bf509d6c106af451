internal import SealiteCrypto
public import SealiteFile
public import SealiteMaintenance

// What the methods of the same names do, without blocking the calling task's thread.
extension Database {
    /// Unlocks a sealed file, which with a passphrase takes half a second of scrypt, and opens its database.
    ///
    /// - Throws: as the other.
    public static func open(
        _ path: String, key: consuming UnlockKey, limits: UnlockLimits = UnlockLimits(),
        configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        let key = SecretBox(key)
        return try await Offload.run {
            try Database(
                file: try SealedDatabase.open(path, key: try key.taken(), limits: limits), configuration: configuration)
        }
    }

    /// Makes a new sealed file with a database, which with a passphrase takes half a second of scrypt. A file that is there
    /// already is never touched.
    ///
    /// - Throws: as the other.
    public static func create(
        _ path: String, slot: consuming NewSlotSecret, options: CreationOptions = CreationOptions(),
        configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        let slot = SecretBox(slot)
        return try await Offload.run {
            try Database(
                file: try SealedDatabase.create(path, slot: try slot.taken(), options: options),
                configuration: configuration)
        }
    }

    /// Opens the database in a sealed file that was unlocked; makes its tables in one that is empty.
    ///
    /// - Throws: as ``init(file:configuration:)``.
    public static func open(
        file: SealedDatabase, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        try await Offload.run { try Database(file: file, configuration: configuration) }
    }

    /// Deletes a database's file with the files that belong to it. No `Database` may be open on it.
    ///
    /// - Throws: as the other.
    public static func delete(at path: String) async throws {
        try await Offload.run { try delete(at: path) }
    }

    /// Waits for what is under way and closes the file; feeds and listeners end. A second call does nothing.
    public func close() async throws {
        try await Offload.run { try self.close() }
    }

    /// Closes the database and deletes its files.
    ///
    /// - Throws: as the other.
    public func delete() async throws {
        try await Offload.run { try self.delete() }
    }

    /// Copies this database's present state into a new sealed file, with UUIDs of its own.
    ///
    /// - Throws: as the other.
    public func copy(
        to path: String, slot: consuming NewSlotSecret, options: BackupSlotOptions = BackupSlotOptions()
    ) async throws {
        let slot = SecretBox(slot)
        try await Offload.run { try self.copy(to: path, slot: try slot.taken(), options: options) }
    }

    /// Everything that an integrity check finds wrong, at most 100 findings; empty when all is well.
    public func integrityFindings() async throws -> [String] {
        try await Offload.run { try self.integrityFindings() }
    }

    /// Counts what is in the database.
    public func statistics() async throws -> DatabaseStatistics {
        try await Offload.run { try self.statistics() }
    }

    /// Purges the documents whose time has come.
    ///
    /// - Returns: how many were purged.
    @discardableResult
    public func purgeExpiredDocuments() async throws -> Int {
        try await Offload.run { try self.purgeExpiredDocuments() }
    }
}

// Scopes, collections and blobs.
extension Database {
    /// The scopes that have a collection, and `_default`, by name.
    public func scopes() async throws -> [Scope] { try await read { try self.scopes() } }

    /// A scope; nil when it has no collection.
    public func scope(name: String) async throws -> Scope? { try await read { try self.scope(name: name) } }

    /// The collections of a scope, by name.
    public func collections(scope: String = defaultScopeName) async throws -> [Collection] {
        try await read { try self.collections(scope: scope) }
    }

    /// A collection; nil when there is none of that name.
    ///
    /// - Throws: as the other.
    public func collection(name: String, scope: String = defaultScopeName) async throws -> Collection? {
        try await read { try self.collection(name: name, scope: scope) }
    }

    /// The stored blob that a description names; nil when it isn't in the database.
    ///
    /// - Throws: as the other.
    public func getBlob(properties: DictionaryObject) async throws -> Blob? {
        try await read { try self.getBlob(properties: properties) }
    }

    /// The UUID that peers know the database by; a copy gets a new one.
    public func publicUUID() async throws -> String { try await read { try self.publicUUID() } }
}

extension Scope {
    /// The scope's collections, by name.
    public func collections() async throws -> [Collection] { try await database.collections(scope: name) }

    /// A collection of the scope; nil when there is none of that name.
    ///
    /// - Throws: as the other.
    public func collection(name: String) async throws -> Collection? {
        try await database.collection(name: name, scope: self.name)
    }
}
