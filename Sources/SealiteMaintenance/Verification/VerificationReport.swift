public import SealiteFile

/// The findings of ``SealedDatabase/verify(progress:)``.
public struct VerificationReport: Sendable, Codable, Equatable {
    /// The database that was verified.
    public let path: String
    /// The header as it was found.
    public let header: PublicHeader
    /// The pages of the database file.
    public let pages: PageSummary
    /// The write-ahead log; nil where there is none.
    public let wal: WALSummary?
    /// The rollback journal; nil where there is none.
    public let journal: JournalSummary?
    /// The outcome of SQLite's own check of the content.
    public let integrity: IntegrityOutcome
    /// Everything worth saying, in the order of the file's parts. Places that lie side by side with one cause are one finding.
    public let findings: [VerificationFinding]

    /// True where nothing is damaged or altered: every finding is a note.
    public var isSound: Bool { !findings.contains { $0.severity == .damage } }

    /// The number of damaged pages, frames and units.
    public var damagedPlaceCount: Int {
        findings.reduce(0) { $0 + ($1.severity == .damage ? $1.placeCount : 0) }
    }
}

/// One thing that verification found.
public struct VerificationFinding: Sendable, Codable, Equatable {
    /// The finding's weight.
    public enum Severity: String, Sendable, Codable {
        /// Worth knowing; nothing is lost.
        case note
        /// Something is damaged, altered, or suspected to be.
        case damage
    }

    /// The parts of a database that findings name.
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
        /// The content, as SQLite's integrity check sees it.
        case content
    }

    /// The finding's weight.
    public let severity: Severity
    /// The code of the error that using this place gives.
    public let code: SealedFileError.Code
    /// The part of the database.
    public let part: Part
    /// The first page, frame, unit or copy; nil where it is about the whole.
    public let first: Int?
    /// The last one.
    public let last: Int?
    /// The damage in words for people: lower case, no full stop.
    public let reason: String

    /// The number of places that the finding covers.
    public var placeCount: Int {
        guard let first, let last else { return 1 }
        return last - first + 1
    }
}

/// Counts of the database file's pages that verification read.
public struct PageSummary: Sendable, Codable, Equatable {
    /// The number of pages that the database has, as a reader sees it.
    public internal(set) var count = 0
    /// The number of pages of the file that authenticated.
    public internal(set) var authenticCount = 0
    /// The number of pages that were never written and are free.
    public internal(set) var neverWrittenCount = 0
    /// The number of pages that count from the write-ahead log, whatever the file holds in their place.
    public internal(set) var inWALCount = 0
    /// The number of pages that are damaged.
    public internal(set) var damagedCount = 0
}

/// Counts of a write-ahead log that verification read.
public struct WALSummary: Sendable, Codable, Equatable {
    /// The number of frames that the file has room for.
    public internal(set) var frameCount = 0
    /// The number of frames that count, up to the last commit.
    public internal(set) var committedFrameCount = 0
    /// The number of transactions that those frames hold.
    public internal(set) var commitCount = 0
    /// The number of frames behind the last commit that authenticate: of a transaction that didn't end, or one that was rolled back.
    public internal(set) var uncommittedFrameCount = 0
    /// The number of frames that are damaged, or suspected to be.
    public internal(set) var damagedCount = 0
}

/// Counts of a rollback journal that verification read.
public struct JournalSummary: Sendable, Codable, Equatable {
    /// The meaning of a journal file.
    public enum State: String, Sendable, Codable {
        /// Its transaction has ended, or none has begun.
        case finished
        /// A transaction that another connection is in the middle of.
        case inUse = "in-use"
        /// A crash left it: the next connection that may write rolls its transaction back.
        case hot
        /// Damaged or of another time: the journal won't be played, and the database can't be opened.
        case refused
    }

    /// The meaning of the file.
    public internal(set) var state: State
    /// The number of units that count.
    public internal(set) var unitCount = 0
    /// The number of units that are damaged.
    public internal(set) var damagedCount = 0
    /// True where verification had the journal rolled back, as any connection would.
    public internal(set) var wasRolledBack = false
}

/// The outcome of SQLite's integrity check.
public enum IntegrityOutcome: String, Sendable, Codable {
    /// The content is consistent.
    case ok
    /// The content isn't sound: see the findings.
    case failed
    /// The check couldn't be run, since a part that it must read is damaged.
    case skipped
}

/// The progress of a verification or an audit.
public struct VerificationProgress: Sendable, Codable, Equatable {
    /// The part that is being read.
    public enum Phase: String, Sendable, Codable {
        /// The write-ahead log.
        case wal
        /// The database file's pages.
        case pages
        /// SQLite's integrity check, which says nothing until it ends.
        case integrity
        /// The nonces of all pages and frames.
        case nonces
    }

    /// The part that is being read.
    public let phase: Phase
    /// The number of pages or frames read in this phase.
    public let done: Int
    /// The number of all of them; 0 where it isn't known.
    public let total: Int
}
