internal import SealiteRevisions

/// A change of a document's row, as passed to a ``RowObserver``.
struct RowChange {
    /// One side of a change: the row before it, or after it.
    struct Side {
        let flags: RowFlags
        let sequence: Int64
        let revision: RevisionID
        /// The stored revision tree; nil if the row's other columns determine the tree.
        let tree: [UInt8]?
        /// The properties in JSONB; nil for a tombstone without properties. The side before a change has them only if
        /// it is a live document and an observer reads them.
        let body: [UInt8]?

        /// Creates the side of a change from the columns of a row.
        init(_ head: DocumentHead, body: [UInt8]?) {
            (flags, sequence, revision, tree) = (head.flags, head.sequence, head.revision, head.tree)
            self.body = body
        }

        /// Creates the side of a change from the content of a row.
        init(_ content: RowContent, sequence: Int64) {
            (flags, revision, tree) = (content.flags, content.revision, content.tree)
            (self.sequence, body) = (sequence, content.body)
        }

        /// The properties of a live document in JSONB; nil for a tombstone, or if the properties weren't read.
        var liveBody: [UInt8]? { flags.contains(.deleted) ? nil : body }
    }

    let collection: Collection
    let id: String
    /// The document's number, positive.
    let number: Int64
    /// The row before the change; nil if there was none.
    let old: Side?
    /// The row after the change; nil if it was removed.
    let new: Side?
    /// The digests of the blobs to which the row refers after the change.
    let digests: [BlobDigest]
    /// A Boolean value that says whether the change comes from a peer, or from the resolution of a conflict. Such a
    /// change is never refused.
    var isIncoming = false
}
