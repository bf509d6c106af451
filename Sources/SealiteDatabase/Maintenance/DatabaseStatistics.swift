internal import SealiteFile

/// Counts of a database's content.
public struct DatabaseStatistics: Sendable {
    /// Counts of one collection's content.
    public struct Collection: Sendable {
        /// The scope's name and the collection's name: `scope.name`.
        public let fullName: String
        /// The number of documents, not counting deleted documents.
        public let documentCount: UInt64
        /// The number of tombstones.
        public let deletedCount: UInt64
        /// The number of documents with a conflict that waits for resolution.
        public let conflictCount: UInt64
        /// The sequence of the last change.
        public let lastSequence: UInt64
    }

    /// The collections, sorted by scope and name.
    public let collections: [Collection]
    /// The number of stored blobs, whether a document refers to them or not.
    public let blobCount: UInt64
    /// The number of bytes of the blobs' content.
    public let blobByteCount: UInt64
    /// The number of bytes of the database's pages.
    public let byteCount: UInt64
    /// The number of bytes of free pages.
    public let freeByteCount: UInt64
}
