import SealiteFile

/// A file that a crash left beside a database.
public struct AbandonedFile: Sendable, Codable, Equatable {
    /// The file's path.
    public let path: String
    /// The kind of file.
    public let kind: Kind
    /// The size of the file in bytes.
    public let byteCount: Int64

    /// The kinds of files that a crash leaves.
    public enum Kind: String, Sendable, Codable {
        /// A file that never got its name because its creation was interrupted, or a second name of a complete file
        /// beside it, whose removal the crash prevented.
        case temporaryFile = "temporary-file"
        /// A rollback journal of an interrupted transaction. The next connection rolls it back.
        case hotJournal = "hot-journal"
        /// A rollback journal that is damaged or stale: it won't be rolled back, and the database can't be opened.
        case refusedJournal = "refused-journal"
        /// The sidecar that a key rotation left, although the header says that no rotation is in progress. The next
        /// rotation uses and removes it.
        case rotationSidecar = "rotation-sidecar"
    }
}
