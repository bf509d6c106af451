internal import SealiteRevisions

/// The columns of a document's row that a revision sets.
struct RowContent {
    var flags: RowFlags
    var revision: RevisionID
    /// The current revision's properties in JSONB; nil for a tombstone without properties.
    var body: [UInt8]?
    /// The stored revision tree; nil if the row's other columns say everything.
    var tree: [UInt8]?
    /// The blobs that the body and the bodies in the tree refer to.
    var digests: [BlobDigest] = []
    /// A Boolean value that says whether a peer made the revision, or the resolution of a conflict did.
    var isIncoming = false
}
