public import SealiteCrypto

/// Stores the raw keys of key slots outside of their files and retrieves them, as a credential store does.
public protocol SlotKeyStore: Sendable {
    /// Returns the raw key of one of a database's slots.
    ///
    /// - Parameters:
    ///   - path: the path of the database, for messages.
    ///   - slots: all slots of the database; only those of kind `rawKey` can have a stored key.
    /// - Returns: the key, 32 bytes.
    /// - Throws: one error if no key is stored, and a different one if that can't be determined.
    func key(ofDatabaseAt path: String, slots: [SlotInfo]) async throws -> SecretBytes

    /// Stores a slot's raw key, replacing the key that was stored for the slot before.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - slotID: the slot's id, 16 bytes.
    ///   - path: the path that the database has or will get, for people.
    ///   - databaseID: the id of the database, 16 bytes; nil if it isn't created yet.
    /// - Throws: an error unless it is certain that the key is stored.
    func keep(
        _ key: consuming SecretBytes, ofSlot slotID: [UInt8], ofDatabaseAt path: String, databaseID: [UInt8]?
    ) async throws

    /// Deletes the stored key of a slot.
    func forget(slotID: [UInt8]) async throws
}
