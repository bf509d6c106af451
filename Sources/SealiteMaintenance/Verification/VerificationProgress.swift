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

    /// The phase of the verification that is running.
    public let phase: Phase
    /// The number of pages or frames read in this phase.
    public let done: Int
    /// The total number in this phase; 0 if it isn't known.
    public let total: Int
}
