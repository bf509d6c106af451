internal import SealiteRevisions

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
