/// A revision to load for sending.
package struct RevisionQuery: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// The versions that the receiver has; the history ends at the first of them.
    package var knownAncestors: [Version]
    /// The maximum number of revisions in the history of a tree. The history ends with the newest ancestor that the
    /// receiver has: if this ancestor is beyond the maximum, ancestors before it are left out instead.
    package var maxHistory: Int
    /// A Boolean value that says whether attachments are listed in `_attachments` too, for a receiver that doesn't
    /// search the body for them.
    package var listsAttachments: Bool
    /// A Boolean value that says whether the current revision may be returned if the requested one is gone.
    package var allowsReplacement: Bool

    package init(
        documentID: String, version: Version, knownAncestors: [Version] = [], maxHistory: Int,
        listsAttachments: Bool = false, allowsReplacement: Bool = false
    ) {
        self.documentID = documentID
        self.version = version
        self.knownAncestors = knownAncestors
        self.maxHistory = maxHistory
        self.listsAttachments = listsAttachments
        self.allowsReplacement = allowsReplacement
    }
}
