internal import SealiteValues

/// The parsed specification of the stage `$merge`, which merges the documents of a pipeline into a collection.
public struct MergeSpecification: Sendable {
    /// The action for a document of the pipeline that matches one in the collection.
    public enum Matched: Sendable {
        case replace, keepExisting, merge, fail
        /// The stages compute the replacement of the existing document from it. Their variables are evaluated with the
        /// document that is merged, which by default is available as `$$new`.
        case pipeline(Pipeline)
    }

    /// The action for a document of the pipeline that matches none in the collection.
    public enum NotMatched: Sendable { case insert, discard, fail }

    /// The name of the target collection.
    public let collection: String
    /// The paths at which a document of the pipeline and one in the collection must have equal values to match.
    public let on: [String]
    /// The action for a document of the pipeline that matches one in the collection.
    public let whenMatched: Matched
    /// The action for a document of the pipeline that matches none in the collection.
    public let whenNotMatched: NotMatched
}
