public import SealiteCrypto

/// Stores the raw keys of key slots outside of their files and retrieves them, as a credential store does.
public protocol SlotKeyStore: Sendable {
    /// Returns the raw key of one of a database's slots.
    ///
    /// - Parameters:
    ///   - path: the path of the database, for messages.
    ///   - slots: all its slots; raw keys open those of that kind.
    /// - Returns: the key, 32 bytes.
    /// - Throws: if no key is stored, or if that can't be determined. The two errors must differ.
    func key(ofDatabaseAt path: String, slots: [SlotInfo]) async throws -> SecretBytes

    /// Stores a slot's raw key, replacing the one stored for the slot before.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - slotID: the slot's id, 16 bytes.
    ///   - path: the current or future path of the database, for people.
    ///   - databaseID: the id of the database, 16 bytes; nil if it isn't created yet.
    /// - Throws: unless the key is certainly stored.
    func keep(
        _ key: consuming SecretBytes, ofSlot slotID: [UInt8], ofDatabaseAt path: String, databaseID: [UInt8]?
    ) async throws

    /// Deletes a slot's key.
    func forget(slotID: [UInt8]) async throws
}
