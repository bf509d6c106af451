internal import SealiteJSON

/// A document that was saved, deleted or purged.
public struct DocumentChange: Sendable {
    /// The collection that contains, or contained, the document.
    public let collection: Collection
    /// The document's id.
    public let documentID: String
}
