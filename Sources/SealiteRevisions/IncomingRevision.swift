/// A revision that a peer has sent, to be inserted into the database.
package struct IncomingRevision: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// The ancestors that the peer names in a revision tree, newest first; in a database with version vectors, the
    /// parts between the commas of the history text in the peer's message.
    package var history: [Version]
    package var isDeleted: Bool
    /// A Boolean value that says whether the revision is refused, instead of being stored as a conflict, if it
    /// conflicts with the local one.
    package var isConflictRefused: Bool
    /// A Boolean value that says whether the peer may have lost documents: then it needn't have had the revisions that it
    /// is recorded to have.
    package var isAfterLoss = false
    /// A Boolean value that says whether the newest tree id after a version is that of the revision itself, as a Sync
    /// Gateway names it, and not that of a revision before it.
    package var namesOwnTreeID = false
    /// The local sequence through which a peer that connected to this side had pulled the collection's changes before
    /// its session, as far as it has shown. A tombstone after this sequence is news to the peer.
    package var pulledThrough: UInt64 = 0
    /// The document's properties as JSON, as received, stubs of attachments included. An empty body represents an empty
    /// object.
    package var body: [UInt8]
    /// The digests of the attachments whose content the peer has sent for this revision. The revision may refer to them
    /// even after the session's record of received attachments, which is bounded, has dropped them.
    package var given: Set<BlobDigest> = []

    package init(
        documentID: String, version: Version, history: [Version] = [], isDeleted: Bool = false,
        isConflictRefused: Bool = false, body: [UInt8]
    ) {
        self.documentID = documentID
        self.version = version
        self.history = history
        self.isDeleted = isDeleted
        self.isConflictRefused = isConflictRefused
        self.body = body
    }
}
