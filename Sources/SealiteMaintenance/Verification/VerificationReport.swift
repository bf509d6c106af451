internal import SealiteFile

/// The result of `SealedDatabase.verify(progress:)`.
public struct VerificationReport: Sendable, Codable, Equatable {
    /// The path of the database.
    public let path: String
    /// The public content of the header, and the state of its two copies, as they were found.
    public let header: PublicHeader
    /// The numbers of authentic, damaged and other pages of the database file.
    public let pages: PageSummary
    /// The numbers of frames of the write-ahead log; nil if there is none.
    public let wal: WALSummary?
    /// The state of the rollback journal; nil if there is none.
    public let journal: JournalSummary?
    /// The result of SQLite's integrity check.
    public let integrity: IntegrityOutcome
    /// All findings, in the order in which the parts were examined. Adjacent pages, frames or units with the same cause
    /// are one finding.
    public let findings: [VerificationFinding]

    /// A Boolean value that says whether nothing is damaged or altered: every finding is a note.
    public var isSound: Bool { !findings.contains { $0.severity == .damage } }

    /// The number of damaged pages, frames, units and header copies. A finding of damage that names none of these
    /// counts as one.
    public var damagedPlaceCount: Int {
        findings.reduce(0) { $0 + ($1.severity == .damage ? $1.placeCount : 0) }
    }
}
