internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteQueryLanguage

/// The progress of filling a new index from the documents of its collection.
public struct IndexBuildProgress: Sendable, Equatable {
    /// The number of documents that have been read so far.
    public let documentCount: UInt64
    /// The number of all documents of the collection, or those read so far if they are more.
    public let totalDocumentCount: UInt64
}
