internal import SealiteRevisions

/// The columns of a stored document's row besides its body (Documentation/DocumentFormat.md §3).
struct DocumentHead {
    /// The document's number, positive. It doesn't change while the document or its tombstone is stored.
    var number: Int64
    var sequence: Int64
    var flags: RowFlags
    var revision: RevisionID
    /// The tree column.
    var tree: [UInt8]?

    /// The key of the row: the number, negative for a tombstone.
    var key: Int64 { flags.contains(.deleted) ? -number : number }
}

/// The columns of a document's row that a revision sets.
struct RowContent {
    var flags: RowFlags
    var revision: RevisionID
    /// The current revision's properties in JSONB; nil for a tombstone without properties.
    var body: [UInt8]?
    /// The tree column.
    var tree: [UInt8]?
    /// The blobs that the body and the bodies in the tree refer to.
    var digests: [BlobDigest] = []
    /// A Boolean value that says whether a peer made the revision, or the resolution of a conflict did.
    var isIncoming = false
}

/// A change of a document's row, as passed to a ``RowObserver``.
struct RowChange {
    /// One side of a change: the row before it, or after it.
    struct Side {
        let flags: RowFlags
        let sequence: Int64
        let revision: RevisionID
        /// The content of the tree column.
        let tree: [UInt8]?
        /// The properties in JSONB. On the old side they are present only if an observer reads them.
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

        /// The properties of a live document; nil for a tombstone.
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
    /// The blobs that the row refers to after the change.
    let digests: [BlobDigest]
    /// A Boolean value that says whether a peer made the change, which is then never refused.
    var isIncoming = false
}

/// Maintains data derived from the rows of a collection's documents, in the transaction that changes a row.
///
/// Every insertion, update and removal of a row is passed to the observers, whatever caused it: a save, a peer, an
/// expiration, a purge. An observer belongs to one transaction.
protocol RowObserver: AnyObject {
    /// A Boolean value that says whether the observer reads the properties that a row had before a change.
    var readsOldBody: Bool { get }

    /// Prepares for a change before the row is changed. Errors that depend on the content of a document are thrown
    /// here, where nothing is changed yet.
    ///
    /// - Returns: false if the change doesn't concern the observer.
    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool

    /// Updates the observer's data for a prepared change. The row is changed already; an error ends the whole
    /// transaction.
    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws
}
