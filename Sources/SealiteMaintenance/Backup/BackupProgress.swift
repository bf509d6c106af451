internal import SealiteFile

/// The progress of a backup, a restore or a salvage.
public struct BackupProgress: Sendable, Equatable {
    /// The phases of a backup, a restore or a salvage. The numbers count pages in every phase.
    public enum Phase: String, Sendable {
        /// Every page of a damaged file is examined; only in a salvage.
        case scanning
        /// The copy is written.
        case copying
        /// The copy is read again: every page is authenticated, then SQLite's integrity check runs.
        case verifying
    }

    /// The phase that the work is in.
    public let phase: Phase
    /// The number of pages completed in this phase.
    public let completed: Int
    /// The total number of pages in this phase; 0 if the total isn't known.
    public let total: Int
}
