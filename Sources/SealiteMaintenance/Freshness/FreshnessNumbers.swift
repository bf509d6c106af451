import SealiteCrypto
internal import SealiteFile

/// The numbers that distinguish a database from an older copy of itself.
public struct FreshnessNumbers: Sendable, Equatable {
    /// The database id, 32 hex digits.
    public let databaseID: String
    /// The epoch, that is, the number of the page key, that pages are sealed under, according to the header. Each key
    /// rotation raises it by one.
    public let epoch: UInt32
    /// The header's freshness counter, which each freshness record raises by one.
    public let counter: UInt64
    /// The header's generation, which each change of the header raises by one.
    public let generation: UInt64
    /// The page-one serial, which each transaction that writes page 1 raises, as a reader sees page 1, possibly in the
    /// write-ahead log.
    public let serial: UInt32
}

extension FreshnessNumbers {
    init(_ content: HeaderContent, serial: UInt32) {
        databaseID = content.databaseID.hex
        epoch = content.epoch.epoch
        counter = content.freshness
        generation = content.generation
        self.serial = serial
    }
}
