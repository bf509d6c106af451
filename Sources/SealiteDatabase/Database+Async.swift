internal import SealiteCrypto
public import SealiteFile
public import SealiteMaintenance

// Asynchronous forms of methods, which don't block the calling task's thread.
extension Database {
    /// The asynchronous form of ``open(_:key:limits:configuration:)``, which doesn't block the calling task's thread.
    /// With a passphrase it takes half a second, the cost of scrypt.
    ///
    /// - Throws: the errors of the synchronous form.
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

    /// The asynchronous form of ``create(_:slot:options:configuration:)``, which doesn't block the calling task's
    /// thread. With a passphrase it takes half a second, the cost of scrypt. An existing file is never changed.
    ///
    /// - Throws: the errors of the synchronous form.
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

    /// Opens the database in an unlocked sealed file without blocking the calling task's thread; creates its tables if
    /// the file is empty.
    ///
    /// - Throws: the errors of ``init(file:configuration:)``.
    public static func open(
        file: SealedDatabase, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        try await Offload.run { try Database(file: file, configuration: configuration) }
    }

    /// The asynchronous form of ``delete(at:)``, which doesn't block the calling task's thread. No `Database` may be
    /// open on the file.
    ///
    /// - Throws: the errors of the synchronous form.
    public static func delete(at path: String) async throws {
        try await Offload.run { try delete(at: path) }
    }

    /// The asynchronous form of ``close()``, which doesn't block the calling task's thread.
    public func close() async throws {
        try await Offload.run { try self.close() }
    }

    /// The asynchronous form of ``delete()``, which doesn't block the calling task's thread.
    ///
    /// - Throws: the errors of the synchronous form.
    public func delete() async throws {
        try await Offload.run { try self.delete() }
    }

    /// The asynchronous form of ``copy(to:slot:options:)``, which doesn't block the calling task's thread.
    ///
    /// - Throws: the errors of the synchronous form.
    public func copy(
        to path: String, slot: consuming NewSlotSecret, options: BackupSlotOptions = BackupSlotOptions()
    ) async throws {
        let slot = SecretBox(slot)
        try await Offload.run { try self.copy(to: path, slot: try slot.taken(), options: options) }
    }

    /// The asynchronous form of ``integrityFindings()``, which doesn't block the calling task's thread.
    public func integrityFindings() async throws -> [String] {
        try await Offload.run { try self.integrityFindings() }
    }

    /// The asynchronous form of ``statistics()``, which doesn't block the calling task's thread.
    public func statistics() async throws -> DatabaseStatistics {
        try await Offload.run { try self.statistics() }
    }

    /// The asynchronous form of ``purgeExpiredDocuments()``, which doesn't block the calling task's thread.
    ///
    /// - Returns: the number of documents that were purged.
    @discardableResult
    public func purgeExpiredDocuments() async throws -> Int {
        try await Offload.run { try self.purgeExpiredDocuments() }
    }

    // MARK: - Scopes, collections and blobs

    /// The asynchronous form of ``scopes()``, which doesn't block the calling task's thread.
    public func scopes() async throws -> [Scope] { try await read { try self.scopes() } }

    /// The asynchronous form of ``scope(name:)``, which doesn't block the calling task's thread.
    public func scope(name: String) async throws -> Scope? { try await read { try self.scope(name: name) } }

    /// The asynchronous form of ``collections(scope:)``, which doesn't block the calling task's thread.
    public func collections(scope: String = defaultScopeName) async throws -> [Collection] {
        try await read { try self.collections(scope: scope) }
    }

    /// The asynchronous form of ``collection(name:scope:)``, which doesn't block the calling task's thread.
    ///
    /// - Throws: the errors of the synchronous form.
    public func collection(name: String, scope: String = defaultScopeName) async throws -> Collection? {
        try await read { try self.collection(name: name, scope: scope) }
    }

    /// The asynchronous form of ``blob(properties:)``, which doesn't block the calling task's thread.
    ///
    /// - Throws: the errors of the synchronous form.
    public func blob(properties: DictionaryObject) async throws -> Blob? {
        try await read { try self.blob(properties: properties) }
    }

    /// The asynchronous form of ``publicUUID()``, which doesn't block the calling task's thread.
    public func publicUUID() async throws -> String { try await read { try self.publicUUID() } }
}

extension Scope {
    /// The asynchronous form of ``collections()``, which doesn't block the calling task's thread.
    public func collections() async throws -> [Collection] { try await database.collections(scope: name) }

    /// The asynchronous form of ``collection(name:)``, which doesn't block the calling task's thread.
    ///
    /// - Throws: the errors of the synchronous form.
    public func collection(name: String) async throws -> Collection? {
        try await database.collection(name: name, scope: self.name)
    }
}
