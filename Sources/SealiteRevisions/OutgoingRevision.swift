/// A revision to load for sending.
package struct RevisionQuery: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// The versions that the receiver has; the history ends at the first of them.
    package var knownAncestors: [Version]
    /// The maximum number of revisions in the history. Its last revision is the first one that the receiver has, even
    /// beyond this number.
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

/// A revision to send, or the reason for which there is none.
package enum LoadedRevision: Sendable, Hashable {
    case found(OutgoingRevision)
    /// There is no such document.
    case missing
    /// Another revision is current.
    case obsolete
}

/// A revision with its body.
package struct OutgoingRevision: Sendable, Hashable {
    package var version: Version
    /// The ancestors, newest first.
    package var history: [Version]
    package var isDeleted: Bool
    /// The properties as JSON.
    package var body: [UInt8]
    /// The attachments that the body refers to, with repetitions.
    package var attachments: [BlobDigest]
    /// The version from which the body is a delta; nil for a whole body.
    package var deltaSource: Version?

    package init(
        version: Version, history: [Version], isDeleted: Bool, body: [UInt8], attachments: [BlobDigest] = [],
        deltaSource: Version? = nil
    ) {
        self.version = version
        self.history = history
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
        self.deltaSource = deltaSource
    }
}

/// A revision that the remote has as its current one.
package struct SyncedRevision: Sendable, Hashable {
    package var documentID: String
    package var version: Version

    package init(documentID: String, version: Version) {
        self.documentID = documentID
        self.version = version
    }
}
