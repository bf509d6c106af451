internal import FoundationEssentials
public import SealiteCrypto

/// The raw key of one key slot of a sealed database.
public struct SlotKeyCredential: ~Copyable, Sendable {
    /// The slot's id, 16 bytes.
    public let slotID: [UInt8]
    /// The id of the database in which the slot was created, 16 bytes. A copy or a backup of the database has another
    /// id, but the slot keeps this one. All zeros if the id isn't known.
    public let databaseID: [UInt8]
    /// The key, 32 bytes.
    public let key: SecretBytes

    /// Creates a slot key.
    public init(slotID: [UInt8], databaseID: [UInt8], key: consuming SecretBytes) {
        self.slotID = slotID
        self.databaseID = databaseID
        self.key = key
    }
}
