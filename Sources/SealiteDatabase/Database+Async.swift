public import SealiteFile

// What the methods of the same names do, without blocking the calling task's thread.
extension Database {
    /// Unlocks a sealed file, which with a passphrase takes half a second of scrypt, and opens its database.
    ///
    /// - Throws: as the other.
    public static func open(
        _ path: String, key: consuming UnlockKey, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        let key = BoxedUnlockKey(key)
        return try await Offload.run {
            try Database(file: try SealedDatabase.open(path, key: try key.take()), configuration: configuration)
        }
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

    /// Copies this database's present state into the database of another sealed file, which has to be empty.
    ///
    /// - Throws: as the other.
    public func copy(to file: SealedDatabase) async throws {
        try await Offload.run { try self.copy(to: file) }
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
