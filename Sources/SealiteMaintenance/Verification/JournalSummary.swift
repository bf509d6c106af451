internal import SealiteFile

/// The state of a rollback journal, and the numbers of its units, the encrypted blocks that it consists of.
public struct JournalSummary: Sendable, Codable, Equatable {
    /// The state of a journal file.
    public enum State: String, Sendable, Codable {
        /// The journal's transaction has ended, none has begun, or no unit of the journal is authentic.
        case finished
        /// Another connection's transaction is using the journal.
        case inUse = "in-use"
        /// A crash left the journal: the next writable connection rolls its transaction back.
        case hot
        /// The journal is damaged or stale: it won't be rolled back, and the database can't be opened.
        case refused
    }

    /// The state of the file.
    public internal(set) var state: State
    /// The number of valid units.
    public internal(set) var unitCount = 0
    /// The number of damaged or missing units.
    public internal(set) var damagedCount = 0
    /// A Boolean value that says whether the verification's connection rolled the journal back, as any connection
    /// would.
    public internal(set) var wasRolledBack = false
}
