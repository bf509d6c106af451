public import SealiteFile

/// Describes a header that was saved or restored.
public struct HeaderReport: Sendable, Equatable, Encodable {
    /// The database id, 32 hex digits.
    public let databaseID: String
    /// The header's generation, which each change of the header raises by one.
    public let generation: UInt64
    /// The epoch, that is, the number of the page key, that pages are sealed under.
    public let epoch: UInt32
    /// The header's freshness counter, which each freshness record raises by one.
    public let freshnessCounter: UInt64
    /// The header's key slots, whose secrets open the file.
    public let slots: [SlotInfo]

    init(_ content: HeaderContent) {
        databaseID = content.databaseID.hex
        generation = content.generation
        epoch = content.epoch.epoch
        freshnessCounter = content.freshness
        slots = content.slotInfos
    }
}
