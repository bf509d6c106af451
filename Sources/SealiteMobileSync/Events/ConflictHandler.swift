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

/// Resolves all conflicts in favour of one side.
public struct DefaultConflictHandler<Document: Codable & Sendable>: ConflictHandler {
    private let takesRemote: Bool

    private init(takesRemote: Bool) { self.takesRemote = takesRemote }

    /// Chooses the remote's document, including its deletion.
    public static func remoteWins() -> Self { Self(takesRemote: true) }

    /// Chooses the local document, including its deletion.
    public static func localWins() -> Self { Self(takesRemote: false) }

    /// Resolves a conflict by returning the chosen side's document.
    public func resolveConflict(
        documentID: BSON, localEvent: ChangeEvent<Document>, remoteEvent: ChangeEvent<Document>
    ) async throws -> Document? {
        takesRemote ? remoteEvent.fullDocument : localEvent.fullDocument
    }
}

extension ConflictHandler {
    /// Chooses the remote's document, including its deletion.
    public static func remoteWins<T>() -> Self where Self == DefaultConflictHandler<T> { .remoteWins() }

    /// Chooses the local document, including its deletion.
    public static func localWins<T>() -> Self where Self == DefaultConflictHandler<T> { .localWins() }
}
