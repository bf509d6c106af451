/// The flags column of a document's row (Documentation/DocumentFormat.md §3).
struct RowFlags: OptionSet {
    let rawValue: Int64
    /// The current revision is a tombstone.
    static let deleted = RowFlags(rawValue: 1)
    /// A branch of the document's revision tree has a conflict that waits for resolution.
    static let conflicted = RowFlags(rawValue: 2)
    /// The body of the current revision, or another body in the revision tree, refers to a blob.
    static let hasBlobs = RowFlags(rawValue: 4)
}
