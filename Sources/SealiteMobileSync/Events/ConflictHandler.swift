public import SealiteValues

/// Decides what becomes of a document that was changed on both sides.
public protocol ConflictHandler<Document>: Sendable {
    /// The type of the documents.
    associatedtype Document: Codable & Sendable

    /// Decides a conflict.
    ///
    /// - Parameters:
    ///   - documentID: the document's `_id`.
    ///   - localEvent: what was changed here, with the document as it is; a deletion has none.
    ///   - remoteEvent: what the remote has.
    /// - Returns: the document as it is to be on both sides; nil deletes it on both.
    /// - Throws: whatever it likes: the document is paused then, and the error listener is told once.
    func resolveConflict(
        documentID: BSON, localEvent: ChangeEvent<Document>, remoteEvent: ChangeEvent<Document>
    ) async throws -> Document?
}

/// Decides all conflicts alike.
public struct DefaultConflictHandler<Document: Codable & Sendable>: ConflictHandler {
    private let takesRemote: Bool

    private init(takesRemote: Bool) { self.takesRemote = takesRemote }

    /// The document as the remote has it, which deletes what is deleted there.
    public static func remoteWins() -> Self { Self(takesRemote: true) }

    /// The document as it is here, which deletes what is deleted here.
    public static func localWins() -> Self { Self(takesRemote: false) }

    /// Decides a conflict.
    public func resolveConflict(
        documentID: BSON, localEvent: ChangeEvent<Document>, remoteEvent: ChangeEvent<Document>
    ) async throws -> Document? {
        takesRemote ? remoteEvent.fullDocument : localEvent.fullDocument
    }
}

extension ConflictHandler {
    /// The document as the remote has it, which deletes what is deleted there.
    public static func remoteWins<T>() -> Self where Self == DefaultConflictHandler<T> { .remoteWins() }

    /// The document as it is here, which deletes what is deleted here.
    public static func localWins<T>() -> Self where Self == DefaultConflictHandler<T> { .localWins() }
}
