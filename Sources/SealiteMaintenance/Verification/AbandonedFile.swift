import SealiteFile

/// A file that a crash left.
public struct AbandonedFile: Sendable, Codable, Equatable {
    /// The file's path.
    public let path: String
    /// The kind of file.
    public let kind: Kind
    /// The size in bytes.
    public let byteCount: Int64

    /// The kinds of files that a crash leaves.
    public enum Kind: String, Sendable, Codable {
        /// A file that never got its name because its creation was interrupted.
        case temporaryFile = "temporary-file"
        /// A rollback journal that the next connection rolls back.
        case hotJournal = "hot-journal"
        /// The sidecar of an interrupted rotation. The next rotation completes the interrupted one.
        case rotationSidecar = "rotation-sidecar"
    }
}
