internal import SealiteRevisions

/// A change of a document's row, as passed to a ``RowObserver``.
struct RowChange {
    let collection: Collection
    let id: String
    /// The document's number, positive.
    let number: Int64
    /// The row before the change; nil if there was none. It has its properties only if it is a live document and an
    /// observer reads them, and has no digests.
    let old: RowContent?
    /// The row after the change; nil if it was removed.
    let new: RowContent?

    /// The digests of the blobs to which the row refers after the change.
    var digests: [BlobDigest] { new?.digests ?? [] }
    /// A Boolean value that says whether the change comes from a peer, or from the resolution of a conflict. Such a
    /// change is never refused.
    var isIncoming: Bool { new?.isIncoming ?? false }
}

/// The columns of a document's row that a revision sets.
struct RowContent {
    /// The row's sequence; 0 until it is assigned, when the row is written.
    var sequence: Int64 = 0
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

    /// The properties of a live document in JSONB; nil for a tombstone, or if the properties weren't read.
    var liveBody: [UInt8]? { flags.contains(.deleted) ? nil : body }
}

/// The flags column of a document's row (Documentation/DocumentFormat.md §3).
struct RowFlags: OptionSet {
    let rawValue: Int64
    /// The current revision is a tombstone.
    static let deleted = RowFlags(rawValue: 1)
    /// A branch of the document's revision tree has a conflict that waits for resolution.
    static let conflicted = RowFlags(rawValue: 2)
    /// The body of the current revision, or another body in the revision tree, refers to a blob.
    static let hasBlobs = RowFlags(rawValue: 4)
    /// The revision tree has bases of deltas.
    static let hasBases = RowFlags(rawValue: 8)
    static let all: RowFlags = [.deleted, .conflicted, .hasBlobs, .hasBases]
}

/// The columns of a stored document's row besides its body (Documentation/DocumentFormat.md §3).
struct DocumentHead {
    /// The document's number, positive. It doesn't change while the document or its tombstone is stored.
    var number: Int64
    var sequence: Int64
    var flags: RowFlags
    var revision: RevisionID
    /// The stored revision tree; nil if the row's other columns determine the tree.
    var tree: [UInt8]?

    /// The key of the row: the number, negative for a tombstone.
    var key: Int64 { flags.contains(.deleted) ? -number : number }
}

/// Maintains data derived from the rows of a collection's documents, in the transaction that changes a row.
///
/// Every insertion, update and removal of a row is passed to the observers, whatever caused it: a save, a peer, an
/// expiration, a purge. An observer belongs to one transaction.
protocol RowObserver: AnyObject {
    /// A Boolean value that says whether the observer needs the properties that a row had before a change.
    var readsOldBody: Bool { get }

    /// A Boolean value that says whether the observer can refuse a document because of the rows of other documents.
    var refusesByOtherRows: Bool { get }

    /// Prepares for a change before the row is changed. Errors that depend on the content of a document are thrown
    /// here, where nothing is changed yet.
    ///
    /// - Returns: false if the change doesn't concern the observer; `apply(_:in:)` isn't called then.
    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool

    /// Updates the observer's data for a prepared change. The row is changed already; an error ends the whole
    /// transaction.
    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws
}

extension RowObserver {
    var refusesByOtherRows: Bool { false }
}

/// A document that was purged: removed without leaving a tombstone.
struct PurgedDocument {
    let id: String
    /// The document's number, positive.
    let number: Int64
}

/// The state of a document's row before a change.
struct EarlierState: Sendable {
    /// The maximum number of bytes of the states that a transaction keeps for one collection, or that one subscription
    /// keeps. Beyond this limit, states are unknown.
    static let byteLimit = 16 * 1024 * 1024

    /// The document's id.
    let id: String
    /// The sequence of the row before the change; nil if there was no row.
    let oldSequence: Int64?
    /// The properties before the change, in JSONB; nil if there was no document, or a deleted one.
    let body: [UInt8]?
    /// The sequence of the row after the change; if the row was removed, the sequence of the collection's last change.
    let newSequence: Int64
    /// A Boolean value that says whether the whole document was replaced by another one, not edited.
    let isReplacement: Bool

    /// The memory that the state takes, estimated in bytes.
    var byteCount: Int { 128 + (body?.count ?? 0) }
}
