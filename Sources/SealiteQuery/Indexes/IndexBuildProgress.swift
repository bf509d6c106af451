internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteQueryLanguage

/// The progress of building an index.
public struct IndexBuildProgress: Sendable, Equatable {
    /// The number of documents that have been read so far.
    public let documentCount: UInt64
    /// The number of all documents.
    public let totalDocumentCount: UInt64
}
