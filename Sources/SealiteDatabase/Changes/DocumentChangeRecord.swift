internal import SealiteRevisions

/// The latest change of a document and its position in the collection's order of changes.
public struct DocumentChangeRecord: Sendable, Hashable {
    /// The document's id.
    public let id: String
    /// The position of the change among all changes of the collection.
    public let sequence: UInt64
    /// A Boolean value that says whether the document is deleted.
    public let isDeleted: Bool
    /// A Boolean value that says whether the document has a conflict that waits for resolution.
    public let hasConflict: Bool
    let revision: RevisionID

    /// The id of the revision that the change created.
    public var revisionID: String { revision.description }
}
