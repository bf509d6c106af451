internal import SealiteValues

/// The specification of `$merge`.
public struct MergeSpecification: Sendable {
    /// The action for a document that exists in the collection.
    public enum Matched: Sendable {
        case replace, keepExisting, merge, fail
        /// The stages turn the existing document into the new one; `$$new` is the merged document.
        case pipeline(Pipeline)
    }

    /// The action for a document that doesn't exist in the collection.
    public enum NotMatched: Sendable { case insert, discard, fail }

    /// The name of the target collection.
    public let collection: String
    /// The paths whose values identify documents.
    public let on: [String]
    /// The action for a document that exists in the collection.
    public let whenMatched: Matched
    /// The action for a document that doesn't exist in the collection.
    public let whenNotMatched: NotMatched
}
