/// The progress of building an index.
package struct IndexProgress: Sendable, Equatable {
    /// The number of documents that have been read.
    package let documentCount: UInt64
    /// The number of all documents.
    package let totalDocumentCount: UInt64
}
