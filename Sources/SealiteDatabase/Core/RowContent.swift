internal import SealiteRevisions

/// The columns of a document's row that a revision sets.
struct RowContent {
    var flags: RowFlags
    var revision: RevisionID
    /// The current revision's properties in JSONB; nil for a tombstone without properties.
    var body: [UInt8]?
    /// The stored revision tree; nil if the row's other columns determine the tree.
    var tree: [UInt8]?
    /// The digests of the blobs to which the body and the bodies in the tree refer.
    var digests: [BlobDigest] = []
    /// A Boolean value that says whether the revision comes from a peer, or from the resolution of a conflict.
    var isIncoming = false
}
