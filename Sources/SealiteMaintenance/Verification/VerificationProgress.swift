internal import SealiteFile

/// The progress of a verification or an audit.
public struct VerificationProgress: Sendable, Codable, Equatable {
    /// The phases of a verification or an audit.
    public enum Phase: String, Sendable, Codable {
        /// The write-ahead log is read and authenticated.
        case wal
        /// The database file's pages are read and authenticated.
        case pages
        /// SQLite's integrity check runs, which reports no progress.
        case integrity
        /// The nonces of all pages, WAL frames and journal units are compared; only in an audit.
        case nonces
    }

    /// The phase that the verification or audit is in.
    public let phase: Phase
    /// The number of pages, frames or units read so far in this phase.
    public let done: Int
    /// The total number of pages, frames or units to read in this phase; 0 if the total isn't known.
    public let total: Int
}
