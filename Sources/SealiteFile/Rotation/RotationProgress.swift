/// The progress of a key rotation.
public struct RotationProgress: Sendable, Equatable {
    /// The stages of a key rotation.
    public enum Stage: String, Sendable {
        /// Pages are being resealed, batch by batch.
        case resealing
        /// Every page is sealed under the new key; the WAL may still hold frames under the old one, which a reader may
        /// need.
        case waitingForReaders = "waiting-for-readers"
        /// The old keys have been removed from the header.
        case done
    }
    /// The stage that the rotation is in.
    public let stage: Stage
    /// The number of pages examined so far, in the order of the file.
    public let pagesDone: Int
    /// The number of pages in the file.
    public let pageCount: Int
    /// The page size in bytes.
    public let pageSize: Int
}

/// The result of a key rotation.
public struct RotationReport: Sendable, Equatable {
    /// The number of pages that this call resealed.
    public let pagesResealed: Int
    /// The number of pages in the file at the end.
    public let pageCount: Int
    /// A Boolean value that says whether this call completed an interrupted rotation.
    public let wasResumed: Bool
    /// The epoch, that is, the number of the page key, that the pages are now sealed under. Each rotation raises it by
    /// one.
    public let epoch: UInt32
}

/// The sizes and durations of the batches of pages in which a key rotation proceeds.
struct RotationPace {
    var firstBatchByteCount = 256 << 10
    var largestBatchByteCount = 4 << 20
    /// The target time in seconds for a batch to hold the lock. A slow disk can make a batch take several times as
    /// long.
    var hold = 0.015
    /// The minimum pause in seconds between two batches, in which other connections can take the lock.
    var leastPause = 0.005
}
