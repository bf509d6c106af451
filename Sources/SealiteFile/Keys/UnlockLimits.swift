public import SealiteCrypto

/// Limits on the cost of one attempt to unlock.
public struct UnlockLimits: Sendable {
    /// The maximum memory in bytes for scrypt on one slot. The limit on scrypt's work increases in proportion.
    public var kdfMemoryLimit: Int
    /// The number of the only slot to try, as in ``SlotInfo/number``; nil to try all slots.
    public var slotNumber: Int?
    /// A Boolean value that says whether a recovery slot of an earlier version of Sealite, which doesn't prove who
    /// created the file, may unlock the database; ``SealedDatabase/openingWarnings`` then has a warning. By default it
    /// is false, and such a slot is refused as `unauthenticatedSlot`.
    public var acceptsUnauthenticatedSlots: Bool
    /// A Boolean value that says whether the caller vouches for a file that only a recovery slot of an earlier version
    /// of Sealite opens, so that the file's keys may be changed and a freshness record of the file may be written.
    /// Otherwise both are possible only once the handle has matched a freshness record of the current format, or a
    /// rotation was given another secret. In a forged file, a change of keys would enable the forger to make later
    /// forgeries that can't be detected.
    public var trustsFile: Bool

    /// Creates limits. By default, scrypt may use 1 GiB, all slots of the key's kind are tried, and no recovery slot of
    /// an earlier version is accepted.
    public init(
        kdfMemoryLimit: Int = Scrypt.defaultMemoryLimit, slotNumber: Int? = nil,
        acceptsUnauthenticatedSlots: Bool = false, trustsFile: Bool = false
    ) {
        self.kdfMemoryLimit = kdfMemoryLimit
        self.slotNumber = slotNumber
        self.acceptsUnauthenticatedSlots = acceptsUnauthenticatedSlots
        self.trustsFile = trustsFile
    }
}
