internal import SealiteProtocol

/// A document that was pushed or pulled, or couldn't be.
public struct ReplicatedDocument: Sendable {
    /// The document's id.
    public let id: String
    /// The scope of the document's collection.
    public let scope: String
    /// The name of the document's collection.
    public let collection: String
    /// The flags that say whether the document is deleted, and whether access to it was lost.
    public let flags: DocumentFlags
    /// The error because of which the document couldn't be replicated; nil if it was replicated.
    public let error: ReplicatorError?
    /// The outcome of the document's conflict; nil if it had none, or the conflict isn't resolved.
    public let resolvedConflict: ResolvedConflict?
}
