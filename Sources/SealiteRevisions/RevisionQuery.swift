/// A request to the database to load a revision that is to be sent.
package struct RevisionQuery: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// The versions that the receiver has. The history of a tree ends at the newest of them.
    package var knownAncestors: [Version]
    /// The maximum number of ancestors in the history of a tree. The history ends with the newest ancestor that the
    /// receiver has. If that ancestor is beyond the maximum, it becomes the last one, and the ancestors just before it
    /// are left out.
    package var maxHistory: Int
    /// A Boolean value that says whether the body's attachments are listed in its member `_attachments` too, for a
    /// receiver that doesn't search the body for them.
    package var listsAttachments: Bool
    /// A Boolean value that says whether the receiver gets tree ids after a version only if it has a tree revision of the
    /// document, or none.
    package var omitsOldTreeIDs: Bool
    /// A Boolean value that says whether the document's current revision is loaded in place of the requested one if
    /// that is no longer current.
    package var allowsReplacement: Bool

    package init(
        documentID: String, version: Version, knownAncestors: [Version] = [], maxHistory: Int,
        listsAttachments: Bool = false, omitsOldTreeIDs: Bool = false, allowsReplacement: Bool = false
    ) {
        self.documentID = documentID
        self.version = version
        self.knownAncestors = knownAncestors
        self.maxHistory = maxHistory
        self.listsAttachments = listsAttachments
        self.omitsOldTreeIDs = omitsOldTreeIDs
        self.allowsReplacement = allowsReplacement
    }
}
