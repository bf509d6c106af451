internal import SealiteFile

/// The numbers of frames and transactions in a write-ahead log.
public struct WALSummary: Sendable, Codable, Equatable {
    /// The number of frames that fit into the file.
    public internal(set) var frameCount = 0
    /// The number of valid frames up to the last commit.
    public internal(set) var committedFrameCount = 0
    /// The number of committed transactions in the valid frames.
    public internal(set) var commitCount = 0
    /// The number of authentic frames after the last commit, of an unfinished or rolled-back transaction, or behind
    /// damaged frames.
    public internal(set) var uncommittedFrameCount = 0
    /// The number of frames with confirmed or suspected damage; a damaged header of the log counts as one.
    public internal(set) var damagedCount = 0
}
