internal import SealiteRevisions

/// The columns of a stored document's row besides its body (Documentation/DocumentFormat.md §3).
struct DocumentHead {
    /// The document's number, positive. It stays while the document or its tombstone is stored.
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
    /// True for a revision that a peer made, or a conflict's resolution.
    var isIncoming = false
}

/// A change of a document's row, as a ``RowObserver`` sees it.
struct RowChange {
    /// One side of a change: what a live document had before, or has now.
    struct Side {
        let flags: RowFlags
        let sequence: Int64
        /// The properties in JSONB. On the old side only where an observer reads them.
        let body: [UInt8]?

        /// The properties of a live document.
        var liveBody: [UInt8]? { flags.contains(.deleted) ? nil : body }
    }

    let collection: Collection
    let id: String
    /// The document's number, positive.
    let number: Int64
    /// The row before the change; nil where there was none.
    let old: Side?
    /// The row after the change; nil where there is none any more.
    let new: Side?
    /// The blobs that the row refers to after the change.
    let digests: [BlobDigest]
    /// True for a change that a peer made: it isn't refused.
    var isIncoming = false
}

/// Keeps something beside the rows of a collection's documents, in the transaction that changes a row.
///
/// Every insert, update and removal of a row passes the observers, whoever makes it: a save, a peer, an expiration, a purge. An observer belongs to one
/// transaction.
protocol RowObserver: AnyObject {
    /// A Boolean value that says whether the observer reads the properties that a row had before a change.
    var readsOldBody: Bool { get }

    /// Prepares for a change before the row is changed. What depends on the content of a document fails here, where nothing is changed yet.
    ///
    /// - Returns: false where the change doesn't concern the observer.
    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool

    /// Brings what the observer keeps up to date with a change that was prepared. The row is changed already; an error ends the whole transaction.
    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws
}
