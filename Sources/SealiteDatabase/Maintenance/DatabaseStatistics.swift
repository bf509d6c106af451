internal import SealiteFile

/// Counts of a database's content.
public struct DatabaseStatistics: Sendable {
    /// Counts of one collection's content.
    public struct Collection: Sendable {
        /// The scope's name and the collection's name: `scope.name`.
        public let fullName: String
        /// The number of documents, not counting deleted documents.
        public let documentCount: UInt64
        /// The number of tombstones, which record the deletions of documents.
        public let deletedCount: UInt64
        /// The number of documents with a conflict that waits for resolution.
        public let conflictCount: UInt64
        /// The sequence of the last change in the collection; 0 if there was none.
        public let lastSequence: UInt64
    }

    /// The counts for each collection, sorted by `fullName`.
    public let collections: [Collection]
    /// The number of stored blobs, whether a document refers to them or not.
    public let blobCount: UInt64
    /// The number of bytes of the content of all stored blobs.
    public let blobByteCount: UInt64
    /// The number of bytes of all pages of the database, free pages included.
    public let byteCount: UInt64
    /// The number of bytes of the database's free pages, which hold no data.
    public let freeByteCount: UInt64
}
