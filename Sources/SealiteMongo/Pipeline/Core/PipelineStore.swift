internal import SealiteValues

/// The collections that stages read and write besides the one that a pipeline begins with.
public protocol PipelineStore {
    /// Returns the rows of a collection, none of one that doesn't exist.
    func rows(of collection: String) throws -> RowCursor

    /// Puts documents in the place of all that a collection has (`$out`).
    func replace(_ collection: String, with rows: RowCursor) throws

    /// Puts each document into a collection as a specification says (`$merge`).
    func merge(_ rows: RowCursor, into specification: MergeSpecification) throws
}

/// The specification of `$merge`.
public struct MergeSpecification: Sendable {
    /// The treatment of a document that the collection has.
    public enum Matched: Sendable {
        case replace, keepExisting, merge, fail
        /// The stages make the new document of the old one, in which `$$new` is the one that is merged.
        case pipeline(Pipeline)
    }

    /// The treatment of a document that the collection doesn't have.
    public enum NotMatched: Sendable { case insert, discard, fail }

    /// The collection.
    public let collection: String
    /// The paths whose values tell documents apart.
    public let on: [String]
    /// The treatment of a document that the collection has.
    public let whenMatched: Matched
    /// The treatment of a document that it doesn't have.
    public let whenNotMatched: NotMatched
}
