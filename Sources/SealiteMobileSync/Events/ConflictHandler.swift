public import SealiteValues

/// Resolves conflicts of documents that were changed on both sides.
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
    /// Chooses the remote's document, including its deletion.
    public static func remoteWins<T>() -> Self where Self == DefaultConflictHandler<T> { .remoteWins() }

    /// Chooses the local document, including its deletion.
    public static func localWins<T>() -> Self where Self == DefaultConflictHandler<T> { .localWins() }
}
