import Glibc
import SealiteCrypto

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
