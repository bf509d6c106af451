import SealiteFile

/// The counts of the nonces of all pages, WAL frames and journal units, and the positions of nonces that occur more
/// than once.
public struct NonceSummary: Sendable, Codable, Equatable {
    /// The number of nonces in the files.
    public internal(set) var count = 0
    /// The number of nonces of pages.
    public internal(set) var pageCount = 0
    /// The number of nonces of WAL frames.
    public internal(set) var frameCount = 0
    /// The number of nonces of journal units.
    public internal(set) var unitCount = 0
    /// The pairs of positions with equal nonces, at most 100.
    public internal(set) var repeated: [NonceRepetition] = []
    /// The number of pages sealed under each epoch, by the number of the epoch.
    public internal(set) var pagesByEpoch: [UInt32: Int] = [:]
}
