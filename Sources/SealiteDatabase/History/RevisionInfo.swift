public import SealiteRevisions

/// Information about one revision of a document.
public struct RevisionInfo: Sendable, Hashable {
    /// The revision's id.
    public let id: RevisionID
    /// The id of the parent revision; nil if no older revision is stored, and for each revision of a document with
    /// version vectors.
    public let parent: RevisionID?
    /// A Boolean value that says whether this is the document's current revision.
    public let isCurrent: Bool
    /// A Boolean value that says whether the revision is a tombstone.
    public let isDeleted: Bool
    /// A Boolean value that says whether the revision is the leaf of a branch with a conflict that waits for
    /// resolution.
    public let isConflict: Bool
    /// A Boolean value that says whether the revision's properties are still stored.
    public let hasBody: Bool
}
