internal import SealiteProtocol

/// A document that was replicated, or couldn't be.
public struct ReplicatedDocument: Sendable {
    /// The document's id.
    public let id: String
    /// The scope of its collection.
    public let scope: String
    /// The name of its collection.
    public let collection: String
    /// The flags of a document that is deleted, or to which access was lost.
    public let flags: DocumentFlags
    /// The error because of which the document couldn't be replicated; nil if it was replicated.
    public let error: ReplicatorError?
    /// The end of the document's conflict; nil if it had none, or it isn't resolved.
    public let resolvedConflict: ResolvedConflict?
}
