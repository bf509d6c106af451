import SealiteFile

/// The findings of ``SealedDatabase/audit(progress:)`` about one database.
public struct AuditReport: Sendable, Codable, Equatable {
    /// The database.
    public let path: String
    /// Parameters, slots and epoch.
    public let header: PublicHeader
    /// The counts of nonces, and those that were used twice.
    public let nonces: NonceSummary
    /// The database's files and their folder, with owners and modes.
    public let files: [AuditedFile]
    /// Files that something left behind.
    public let leftovers: [Leftover]

    /// True where nothing needs anyone's action.
    public var isSound: Bool {
        nonces.repeated.isEmpty && files.allSatisfy { $0.concern == nil } && leftovers.isEmpty
            && !header.copies.contains { $0 == .tampered || $0 == .damaged }
            && header.slots.allSatisfy(\.isAuthenticated)
    }
}

/// The nonces of all pages, frames and journal units.
public struct NonceSummary: Sendable, Codable, Equatable {
    /// The number of nonces that the files hold.
    public internal(set) var count = 0
    /// The number of those of pages.
    public internal(set) var pageCount = 0
    /// The number of those of WAL frames.
    public internal(set) var frameCount = 0
    /// The number of those of journal units.
    public internal(set) var unitCount = 0
    /// The places that share a nonce with another; at most 100 are named.
    public internal(set) var repeated: [NonceRepetition] = []
    /// The number of pages that each epoch sealed, by epoch.
    public internal(set) var pagesByEpoch: [UInt32: Int] = [:]
}

/// Two places with one nonce.
public struct NonceRepetition: Sendable, Codable, Equatable {
    /// Such as "page 7" or "WAL frame 12".
    public let first: String
    /// The other place.
    public let second: String
}

/// One file of a database, or the folder they lie in, as the file system describes it.
public struct AuditedFile: Sendable, Codable, Equatable {
    /// Its path.
    public let path: String
    /// The file's role or kind.
    public let role: Role
    /// Its permission bits, in octal: "600".
    public let mode: String
    /// Its owner's user id.
    public let owner: UInt32
    /// Its size in bytes; 0 for the folder.
    public let byteCount: Int64
    /// The reason to look at the permissions or the owner; nil where nothing is wrong.
    public let concern: String?

    /// The roles of files beside a database.
    public enum Role: String, Sendable, Codable {
        /// The database itself.
        case database
        /// Its write-ahead log.
        case wal
        /// Its rollback journal.
        case journal
        /// The index of its WAL, shared between processes.
        case sharedMemory = "shm"
        /// The sidecar in which a rotation keeps the pages that it is writing.
        case rotation
        /// The folder that all of them lie in.
        case folder
    }
}

/// A file that a crash left.
public struct Leftover: Sendable, Codable, Equatable {
    /// Its path.
    public let path: String
    /// The file's role or kind.
    public let kind: Kind
    /// Its size in bytes.
    public let byteCount: Int64

    /// The kinds of leftovers.
    public enum Kind: String, Sendable, Codable {
        /// A file that never got its name: what was to be written there wasn't finished.
        case temporaryFile = "temporary-file"
        /// A rollback journal that the next connection plays back.
        case hotJournal = "hot-journal"
        /// The sidecar of a rotation that isn't running; the next one ends it.
        case rotationSidecar = "rotation-sidecar"
    }
}
