internal import SealiteJSON
internal import SealiteRevisions

/// The capabilities that the peer has named in its replies.
struct PeerAbilities: Sendable, Hashable {
    /// The maximum number of revisions that the peer wants in a history; nil if it has named none.
    var maxHistory: Int?
    /// A Boolean value that says whether the peer finds the blobs of a document in its properties, so that bodies need
    /// no `_attachments`.
    var understandsBlobs = false

    /// A Boolean value that says whether the peer is a Sync Gateway: the only one that doesn't find blobs.
    var isSyncGateway: Bool { !understandsBlobs }
}
