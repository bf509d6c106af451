public import SealiteFile

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

/// A finding of a verification of a sealed database.
public struct VerificationFinding: Sendable, Codable, Equatable {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Codable {
        /// Information; nothing is lost.
        case note
        /// Confirmed or suspected damage or alteration.
        case damage
    }

    /// The parts of a database that findings refer to.
    public enum Part: String, Sendable, Codable {
        /// A copy of the header, numbered 0 or 1.
        case header
        /// A page, numbered from 1.
        case page
        /// A frame of the write-ahead log, numbered from 0.
        case walFrame = "wal-frame"
        /// A unit of the rollback journal, numbered from 0.
        case journalUnit = "journal-unit"
        /// The content, according to SQLite's integrity check.
        case content
    }

    /// The severity of the finding.
    public let severity: Severity
    /// The code of the error that describes the finding, such as `damagedPage`.
    public let code: SealedFileError.Code
    /// The part of the database that the finding refers to.
    public let part: Part
    /// The number of the first page, frame, unit, key slot or header copy; nil if the finding concerns the whole part.
    public let first: Int?
    /// The number of the last page, frame, unit, key slot or header copy; nil if the finding concerns the whole part.
    public let last: Int?
    /// A description for people, in lower case and without a full stop.
    public let reason: String

    /// The number of pages, frames, units, key slots or header copies that the finding covers; 1 if it concerns the
    /// whole part.
    public var placeCount: Int {
        guard let first, let last else { return 1 }
        return last - first + 1
    }
}

/// A list of findings of a verification, which merges those of adjacent pages, frames or units with the same cause: a
/// torn gigabyte is one finding rather than 262,144.
struct FindingList {
    /// A finding, with its reason in the singular and the plural.
    private struct Entry {
        var finding: VerificationFinding
        let one: String
        let several: String
    }

    private var entries: [Entry] = []
    var all: [VerificationFinding] { entries.map(\.finding) }

    /// Adds a finding. `reason` continues a sentence about one page, frame or unit, and `several` one about more than
    /// one; nil if `reason` fits both.
    mutating func add(
        _ severity: VerificationFinding.Severity, _ code: SealedFileError.Code, _ part: VerificationFinding.Part,
        _ places: ClosedRange<Int>?, _ reason: String, several: String? = nil
    ) {
        let several = several ?? reason
        if let entry = entries.last, let places, let end = entry.finding.last, let start = entry.finding.first,
            end + 1 == places.lowerBound, entry.finding.severity == severity, entry.finding.code == code,
            entry.finding.part == part, entry.one == reason
        {
            entries[entries.count - 1].finding = VerificationFinding(
                severity: severity, code: code, part: part, first: start, last: places.upperBound, reason: several)
            return
        }
        let finding = VerificationFinding(
            severity: severity, code: code, part: part, first: places?.lowerBound, last: places?.upperBound,
            reason: places?.count ?? 1 > 1 ? several : reason)
        entries.append(Entry(finding: finding, one: reason, several: several))
    }

    mutating func add(contentsOf other: FindingList) { entries += other.entries }
}

/// The result of SQLite's integrity check.
public enum IntegrityOutcome: String, Sendable, Codable {
    /// The content is consistent.
    case ok
    /// The content is inconsistent, or the check stopped with an error; the findings of the verification say why.
    case failed
    /// The check has no result: a page is damaged, SQLite can't open the database, or the check needs functions, collations
    /// or modules of the application, which a finding names.
    case skipped
}

/// The progress of a verification or an audit.
public struct VerificationProgress: Sendable, Codable, Equatable {
    /// The phases of a verification or an audit.
    public enum Phase: String, Sendable, Codable {
        /// The write-ahead log is read and authenticated.
        case wal
        /// The database file's pages are read and authenticated.
        case pages
        /// The database is copied for SQLite's integrity check, because in rollback-journal mode a writer waits.
        case copying
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

/// Counts of the database file's pages.
public struct PageSummary: Sendable, Codable, Equatable {
    /// The number of pages in the database, as a reader sees it.
    public internal(set) var count = 0
    /// The number of authentic pages in the file.
    public internal(set) var authenticCount = 0
    /// The number of free pages that were never written.
    public internal(set) var neverWrittenCount = 0
    /// The number of pages that readers take from the write-ahead log instead of the file.
    public internal(set) var inWALCount = 0
    /// The number of damaged pages.
    public internal(set) var damagedCount = 0
}

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
