/// The progress of building an index.
package struct IndexProgress: Sendable, Equatable {
    /// The number of documents that have been read for the index.
    package let documentCount: UInt64
    /// The number of all documents of the collection, not counting deleted documents.
    package let totalDocumentCount: UInt64
}
