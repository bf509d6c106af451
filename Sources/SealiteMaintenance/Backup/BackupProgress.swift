internal import SealiteFile

/// The progress of a backup, a restore or a salvage.
public struct BackupProgress: Sendable, Equatable {
    /// The phases of the work. The phase determines the unit of the numbers.
    public enum Phase: String, Sendable {
        /// Every page of a damaged file is examined. Counts pages.
        case scanning
        /// The copy is written. Counts pages.
        case copying
        /// The copy is read again: every page is authenticated, then SQLite's integrity check runs. Counts pages.
        case verifying
    }

    /// The phase of the backup that is running.
    public let phase: Phase
    /// The number of pages completed in this phase.
    public let completed: Int
    /// The total number of pages in this phase; 0 if it isn't known.
    public let total: Int
}
