import SealiteFile

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
    /// A problem with the file's type, permissions or owner, in words; nil if there is none.
    public let concern: String?

    /// The roles of files beside a database.
    public enum Role: String, Sendable, Codable {
        /// The database file itself.
        case database
        /// The write-ahead log.
        case wal
        /// The rollback journal of the database.
        case journal
        /// The index of the WAL, shared between processes.
        case sharedMemory = "shm"
        /// The sidecar in which a key rotation stores the pages that it is writing.
        case rotation
        /// The folder that contains the files.
        case folder
    }
}
