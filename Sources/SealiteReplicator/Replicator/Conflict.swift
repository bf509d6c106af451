public import SealiteDatabase

/// A document that was changed both locally and at the remote, as a conflict resolver receives it.
public struct Conflict: Sendable {
    /// The document's id.
    public let documentID: String
    /// The local document; nil if it was deleted.
    public let localDocument: Document?
    /// The remote's document; nil if it was deleted.
    public let remoteDocument: Document?
}
