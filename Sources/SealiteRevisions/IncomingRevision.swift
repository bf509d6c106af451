/// A revision that came from a peer.
package struct IncomingRevision: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// The known ancestors in a revision tree, newest first; in a database of version vectors, the history as the peer
    /// wrote it.
    package var history: [Version]
    package var isDeleted: Bool
    /// A Boolean value that says whether the revision is refused if it conflicts.
    package var isConflictRefused: Bool
    /// The version from which the body is a delta; nil for a whole body.
    package var deltaSource: Version?
    /// The JSON as received, stubs of attachments included; an empty body represents an empty object.
    package var body: [UInt8]
    /// The digests of the attachments whose content the peer has sent for this revision. The revision may refer to them
    /// even after the session's record of received attachments, which is bounded, has dropped them.
    package var given: Set<BlobDigest> = []

    package init(
        documentID: String, version: Version, history: [Version] = [], isDeleted: Bool = false,
        isConflictRefused: Bool = false, deltaSource: Version? = nil, body: [UInt8]
    ) {
        self.documentID = documentID
        self.version = version
        self.history = history
        self.isDeleted = isDeleted
        self.isConflictRefused = isConflictRefused
        self.deltaSource = deltaSource
        self.body = body
    }
}
