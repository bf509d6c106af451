import SealiteCrypto
internal import SealiteFile

/// The numbers that distinguish a database from an older copy of itself.
public struct FreshnessNumbers: Sendable, Equatable {
    /// The database id, 32 hex digits.
    public let databaseID: String
    /// The epoch of the header.
    public let epoch: UInt32
    /// The header's freshness counter.
    public let counter: UInt64
    /// The header's generation.
    public let generation: UInt64
    /// The serial of page 1 as a reader sees it.
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
