/// A document that was purged.
struct PurgedDocument {
    let id: String
    /// The document's number, positive.
    let number: Int64
}
