public import SealiteValues

/// Resolves conflicts of synced documents, which were changed both locally and at the remote.
public protocol ConflictHandler<Document>: Sendable {
    /// The type of the documents.
    associatedtype Document: Codable & Sendable

    /// Resolves a conflict.
    ///
    /// - Parameters:
    ///   - documentID: the document's `_id`.
    ///   - localEvent: the local change, with the current document unless it was deleted.
    ///   - remoteEvent: the remote's change.
    /// - Returns: the document to store on both sides; nil deletes it on both.
    /// - Throws: any error; the document is then paused and the error listener called once.
    func resolveConflict(
        documentID: BSON, localEvent: ChangeEvent<Document>, remoteEvent: ChangeEvent<Document>
    ) async throws -> Document?
}

extension ConflictHandler {
    /// Returns a handler that resolves each conflict to the remote's document; if the remote has deleted the document,
    /// it is deleted.
    public static func remoteWins<T>() -> Self where Self == DefaultConflictHandler<T> { .remoteWins() }

    /// Returns a handler that resolves each conflict to the local document; if the document was deleted locally, it is
    /// deleted.
    public static func localWins<T>() -> Self where Self == DefaultConflictHandler<T> { .localWins() }
}
