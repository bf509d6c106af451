package import SealiteJSON

/// A revision to be sent to a peer, with its body.
package struct OutgoingRevision: Sendable, Hashable {
    package var version: Version
    /// The ancestors in a revision tree, newest first; in a database with version vectors, a single element with the
    /// text of the vector without its current version, or nothing if that text is empty.
    package var history: [Version]
    package var isDeleted: Bool
    /// The document's properties as JSON; a delta to them if `delta` isn't nil.
    package var body: [UInt8]
    /// What the body is a delta of; nil if the body is whole.
    package var delta: OutgoingDelta?
    /// The digests of the attachments to which the body refers, each as often as the body refers to it.
    package var attachments: [BlobDigest]

    package init(
        version: Version, history: [Version], isDeleted: Bool, body: [UInt8], attachments: [BlobDigest] = []
    ) {
        self.version = version
        self.history = history
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
    }
}

/// What the body of an outgoing revision is a delta of.
package struct OutgoingDelta: Sendable, Hashable {
    /// The version from which the delta leads to the revision.
    package var source: Version
    /// By how many bytes the delta is smaller than the body in its stored form.
    package var savedByteCount: UInt64

    package init(source: Version, savedByteCount: UInt64) {
        (self.source, self.savedByteCount) = (source, savedByteCount)
    }
}

/// A revision that was loaded to be sent, or the reason for which there is none.
package enum LoadedRevision: Sendable, Hashable {
    case found(OutgoingRevision)
    /// The database has no such document, not even a tombstone of it.
    case missing
    /// The document has another current revision than the requested one, and the request doesn't allow that one
    /// instead.
    case obsolete
}

/// A revision that is known to be a remote's current one of a document.
package struct SyncedRevision: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// A Boolean value that says whether the remote accepted the revision as its first one of the document.
    package var isFirst: Bool

    package init(documentID: String, version: Version, isFirst: Bool = false) {
        (self.documentID, self.version, self.isFirst) = (documentID, version, isFirst)
    }
}

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
    /// A Boolean value that says whether the body may be a delta from one of the known ancestors.
    package var takesDelta: Bool

    package init(
        documentID: String, version: Version, knownAncestors: [Version] = [], maxHistory: Int,
        listsAttachments: Bool = false, omitsOldTreeIDs: Bool = false, allowsReplacement: Bool = false,
        takesDelta: Bool = false
    ) {
        self.takesDelta = takesDelta
        self.documentID = documentID
        self.version = version
        self.knownAncestors = knownAncestors
        self.maxHistory = maxHistory
        self.listsAttachments = listsAttachments
        self.omitsOldTreeIDs = omitsOldTreeIDs
        self.allowsReplacement = allowsReplacement
    }
}

/// The current revision of a locally changed document, as it is announced or proposed to one remote.
package struct LocalChange: Sendable, Hashable {
    package var sequence: UInt64
    package var documentID: String
    package var version: Version
    package var isDeleted: Bool
    /// A Boolean value that says whether the document has a conflict that waits for resolution.
    package var hasConflict: Bool
    /// A Boolean value that says whether the document isn't sent: it has expired and is to be purged, or its id isn't one
    /// that a program stores, in a file that somebody else made.
    package var isWithheld: Bool
    /// The version last known to be the remote's current one; nil if none is known.
    package var remoteVersion: Version?
    package var bodyByteCount: UInt64
    /// A Boolean value that says whether the change is offered regardless of what the remote is known to have, because
    /// the remote may have lost it.
    package var isReoffered = false

    package init(
        sequence: UInt64, documentID: String, version: Version, isDeleted: Bool, hasConflict: Bool = false,
        isWithheld: Bool = false, remoteVersion: Version? = nil, bodyByteCount: UInt64
    ) {
        self.sequence = sequence
        self.documentID = documentID
        self.version = version
        self.isDeleted = isDeleted
        self.hasConflict = hasConflict
        self.isWithheld = isWithheld
        self.remoteVersion = remoteVersion
        self.bodyByteCount = bodyByteCount
    }

    /// The document's ID as a key of dictionaries, which is compared by its bytes.
    package var key: ExactText { ExactText(documentID) }
}
