public import SealiteFile

/// The result of `SealedDatabase.verify(progress:)`.
public struct VerificationReport: Sendable, Codable, Equatable {
    /// The path of the database.
    public let path: String
    /// The header as it was found.
    public let header: PublicHeader
    /// The pages of the database file.
    public let pages: PageSummary
    /// The write-ahead log; nil if there is none.
    public let wal: WALSummary?
    /// The rollback journal; nil if there is none.
    public let journal: JournalSummary?
    /// The result of SQLite's integrity check.
    public let integrity: IntegrityOutcome
    /// All findings, in the order of the file's parts. Adjacent places with one cause are one finding.
    public let findings: [VerificationFinding]

    /// A Boolean value that says whether nothing is damaged or altered: every finding is a note.
    public var isSound: Bool { !findings.contains { $0.severity == .damage } }

    /// The number of damaged pages, frames and units.
    public var damagedPlaceCount: Int {
        findings.reduce(0) { $0 + ($1.severity == .damage ? $1.placeCount : 0) }
    }
}

/// A finding of the verification.
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
        /// A key slot, numbered from 1.
        case keySlot = "key-slot"
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
    /// The error code that accessing this place produces.
    public let code: SealedFileError.Code
    /// The part of the database.
    public let part: Part
    /// The first page, frame, unit or copy; nil if the finding concerns the whole part.
    public let first: Int?
    /// The last page, frame, unit or copy; nil if the finding concerns the whole part.
    public let last: Int?
    /// A description for people, in lower case and without a full stop.
    public let reason: String

    /// The number of places that the finding covers.
    public var placeCount: Int {
        guard let first, let last else { return 1 }
        return last - first + 1
    }
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

/// Counts of a write-ahead log.
public struct WALSummary: Sendable, Codable, Equatable {
    /// The number of frames that fit into the file.
    public internal(set) var frameCount = 0
    /// The number of valid frames up to the last commit.
    public internal(set) var committedFrameCount = 0
    /// The number of transactions in those frames.
    public internal(set) var commitCount = 0
    /// The number of authentic frames after the last commit, of an unfinished or rolled-back transaction.
    public internal(set) var uncommittedFrameCount = 0
    /// The number of frames with confirmed or suspected damage.
    public internal(set) var damagedCount = 0
}

/// Counts of a rollback journal.
public struct JournalSummary: Sendable, Codable, Equatable {
    /// The state of a journal file.
    public enum State: String, Sendable, Codable {
        /// The journal's transaction has ended, or none has begun.
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
    /// The number of damaged units.
    public internal(set) var damagedCount = 0
    /// A Boolean value that says whether the verification's connection rolled the journal back, as any connection
    /// would.
    public internal(set) var wasRolledBack = false
}

/// The result of SQLite's integrity check.
public enum IntegrityOutcome: String, Sendable, Codable {
    /// The content is consistent.
    case ok
    /// The content is inconsistent; see the findings.
    case failed
    /// The check wasn't run, since a part that it reads is damaged.
    case skipped
}

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

    /// The current phase.
    public let phase: Phase
    /// The number of pages or frames read in this phase.
    public let done: Int
    /// The total number in this phase; 0 if it isn't known.
    public let total: Int
}
