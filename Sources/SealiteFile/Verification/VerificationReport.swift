/// What ``SealedDatabase/verify(progress:)`` found.
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
    /// What SQLite's own check of the content said.
    public let integrity: IntegrityOutcome
    /// Everything worth saying, in the order of the file's parts. Places that lie side by side with one cause are one finding.
    public let findings: [VerificationFinding]

    /// Whether nothing is damaged or altered: every finding is a note.
    public var isSound: Bool { !findings.contains { $0.severity == .damage } }

    /// How many pages, frames and units are damaged.
    public var damagedPlaceCount: Int {
        findings.reduce(0) { $0 + ($1.severity == .damage ? $1.placeCount : 0) }
    }
}

/// One thing that verification found.
public struct VerificationFinding: Sendable, Codable, Equatable {
    /// How bad it is.
    public enum Severity: String, Sendable, Codable {
        /// Worth knowing; nothing is lost.
        case note
        /// Something is damaged, altered, or suspected to be.
        case damage
    }

    /// Which part of the database it is about.
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

    /// How bad it is.
    public let severity: Severity
    /// The code of the error that using this place gives.
    public let code: SealedFileError.Code
    /// What it is about.
    public let part: Part
    /// The first page, frame, unit or copy; nil where it is about the whole.
    public let first: Int?
    /// The last one.
    public let last: Int?
    /// What is wrong, for people: lower case, no full stop.
    public let reason: String

    /// How many places the finding covers.
    public var placeCount: Int {
        guard let first, let last else { return 1 }
        return last - first + 1
    }
}

/// What verification read of the database file's pages.
public struct PageSummary: Sendable, Codable, Equatable {
    /// How many pages the database has, as a reader sees it.
    public internal(set) var count = 0
    /// How many pages of the file authenticated.
    public internal(set) var authenticCount = 0
    /// How many pages were never written and are free.
    public internal(set) var neverWrittenCount = 0
    /// How many pages count from the write-ahead log, whatever the file holds in their place.
    public internal(set) var inWALCount = 0
    /// How many pages are damaged.
    public internal(set) var damagedCount = 0
}

/// What verification read of a write-ahead log.
public struct WALSummary: Sendable, Codable, Equatable {
    /// How many frames the file has room for.
    public internal(set) var frameCount = 0
    /// How many frames count, up to the last commit.
    public internal(set) var committedFrameCount = 0
    /// How many transactions those frames hold.
    public internal(set) var commitCount = 0
    /// How many frames behind the last commit authenticate: of a transaction that didn't end, or one that was rolled back.
    public internal(set) var uncommittedFrameCount = 0
    /// How many frames are damaged, or suspected to be.
    public internal(set) var damagedCount = 0
}

/// What verification read of a rollback journal.
public struct JournalSummary: Sendable, Codable, Equatable {
    /// What a journal file means.
    public enum State: String, Sendable, Codable {
        /// Its transaction has ended, or none has begun.
        case finished
        /// A transaction that another connection is in the middle of.
        case inUse = "in-use"
        /// A crash left it: the next connection that may write rolls its transaction back.
        case hot
        /// It is damaged or of another time: it won't be played, and the database can't be opened.
        case refused
    }

    /// What the file means.
    public internal(set) var state: State
    /// How many units count.
    public internal(set) var unitCount = 0
    /// How many units are damaged.
    public internal(set) var damagedCount = 0
    /// Whether verification had it rolled back, as any connection would.
    public internal(set) var wasRolledBack = false
}

/// What SQLite's integrity check said.
public enum IntegrityOutcome: String, Sendable, Codable {
    /// The content is consistent.
    case ok
    /// It is not: see the findings.
    case failed
    /// It couldn't be run, since a part that it must read is damaged.
    case skipped
}

/// How far a verification or an audit has come.
public struct VerificationProgress: Sendable, Codable, Equatable {
    /// What is being read.
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

    /// What is being read.
    public let phase: Phase
    /// How many pages or frames were read in this phase.
    public let done: Int
    /// How many there are; 0 where nobody knows.
    public let total: Int
}

extension SealedFileError.Code: Codable {}
