internal import SealiteFile

/// The progress of a verification or an audit.
public struct VerificationProgress: Sendable, Codable, Equatable {
    /// The phases of a verification or an audit.
    public enum Phase: String, Sendable, Codable {
        /// The write-ahead log.
        case wal
        /// The database file's pages.
        case pages
        /// SQLite's integrity check, which reports no progress.
        case integrity
        /// The nonces of all pages and frames.
        case nonces
    }

    /// The phase that the verification or audit is in.
    public let phase: Phase
    /// The number of pages or frames read so far in this phase.
    public let done: Int
    /// The total number of pages or frames in this phase; 0 if the total isn't known.
    public let total: Int
}
