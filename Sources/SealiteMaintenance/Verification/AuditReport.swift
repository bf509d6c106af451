import SealiteFile

/// The result of `SealedDatabase.audit(progress:)`.
public struct AuditReport: Sendable, Codable, Equatable {
    /// The path of the database.
    public let path: String
    /// The header's public content: parameters, slots and epoch.
    public let header: PublicHeader
    /// The counts of nonces, and the repeated ones.
    public let nonces: NonceSummary
    /// The database's files and their folder, with owners and modes.
    public let files: [AuditedFile]
    /// The files that crashes left behind.
    public let leftovers: [Leftover]

    /// A Boolean value that says whether nothing requires action.
    public var isSound: Bool {
        nonces.repeated.isEmpty && files.allSatisfy { $0.concern == nil } && leftovers.isEmpty
            && !header.copies.contains { $0 == .tampered || $0 == .damaged }
            && header.slots.allSatisfy(\.isAuthenticated)
    }
}

/// The nonces of all pages, frames and journal units.
public struct NonceSummary: Sendable, Codable, Equatable {
    /// The number of nonces in the files.
    public internal(set) var count = 0
    /// The number of nonces of pages.
    public internal(set) var pageCount = 0
    /// The number of nonces of WAL frames.
    public internal(set) var frameCount = 0
    /// The number of nonces of journal units.
    public internal(set) var unitCount = 0
    /// The pairs of places with equal nonces, at most 100.
    public internal(set) var repeated: [NonceRepetition] = []
    /// The number of pages sealed under each epoch.
    public internal(set) var pagesByEpoch: [UInt32: Int] = [:]
}

/// Two places with the same nonce.
public struct NonceRepetition: Sendable, Codable, Equatable {
    /// The first place, such as "page 7" or "WAL frame 12".
    public let first: String
    /// The second place.
    public let second: String
}

/// A file of a database, or its folder, as the file system describes it.
public struct AuditedFile: Sendable, Codable, Equatable {
    /// The file's path.
    public let path: String
    /// The file's role.
    public let role: Role
    /// The permission bits in octal, such as "600".
    public let mode: String
    /// The owner's user id.
    public let owner: UInt32
    /// The size in bytes; 0 for the folder.
    public let byteCount: Int64
    /// A problem with the permissions or the owner; nil if there is none.
    public let concern: String?

    /// The roles of files beside a database.
    public enum Role: String, Sendable, Codable {
        /// The database file.
        case database
        /// The write-ahead log.
        case wal
        /// The rollback journal.
        case journal
        /// The index of the WAL, shared between processes.
        case sharedMemory = "shm"
        /// The sidecar in which a rotation stores the pages that it is writing.
        case rotation
        /// The folder that contains the files.
        case folder
    }
}

/// A file that a crash left.
public struct Leftover: Sendable, Codable, Equatable {
    /// The file's path.
    public let path: String
    /// The kind of leftover.
    public let kind: Kind
    /// The size in bytes.
    public let byteCount: Int64

    /// The kinds of leftovers.
    public enum Kind: String, Sendable, Codable {
        /// A file that never got its name because its creation was interrupted.
        case temporaryFile = "temporary-file"
        /// A rollback journal that the next connection rolls back.
        case hotJournal = "hot-journal"
        /// The sidecar of an interrupted rotation, which the next one completes.
        case rotationSidecar = "rotation-sidecar"
    }
}
