public import SealiteCrypto

/// Limits on the cost of one attempt to unlock.
public struct UnlockLimits: Sendable {
    /// The maximum memory in bytes for scrypt on one slot. The limit on scrypt's work increases in proportion.
    public var kdfMemoryLimit: Int
    /// The number of the only slot to try, as in ``SlotInfo/number``; nil to try all slots.
    public var slotNumber: Int?

    /// Creates limits. By default, scrypt may use 1 GiB, and all slots of the key's kind are tried.
    public init(kdfMemoryLimit: Int = Scrypt.defaultMemoryLimit, slotNumber: Int? = nil) {
        self.kdfMemoryLimit = kdfMemoryLimit
        self.slotNumber = slotNumber
    }
}
