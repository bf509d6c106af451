/// A document that was purged: removed without leaving a tombstone.
struct PurgedDocument {
    let id: String
    /// The document's number, positive.
    let number: Int64
}
