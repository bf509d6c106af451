internal import SealiteDatabase
internal import SealiteMongo
internal import SealiteReplicator
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

/// Resolves all conflicts in favour of one side: the local document, or the remote's document.
public struct DefaultConflictHandler<Document: Codable & Sendable>: ConflictHandler {
    private let takesRemote: Bool

    private init(takesRemote: Bool) { self.takesRemote = takesRemote }

    /// Returns a handler that resolves each conflict to the remote's document; if the remote has deleted the document,
    /// it is deleted.
    public static func remoteWins() -> Self { Self(takesRemote: true) }

    /// Returns a handler that resolves each conflict to the local document; if the document was deleted locally, it is
    /// deleted.
    public static func localWins() -> Self { Self(takesRemote: false) }

    /// Resolves a conflict by returning the local document or the remote's document, whichever the handler was created
    /// for; nil if it was deleted on this side.
    public func resolveConflict(
        documentID: BSON, localEvent: ChangeEvent<Document>, remoteEvent: ChangeEvent<Document>
    ) async throws -> Document? {
        takesRemote ? remoteEvent.fullDocument : localEvent.fullDocument
    }
}

/// A conflict handler that calls a closure.
struct ClosureHandler<Document: Codable & Sendable>: ConflictHandler {
    let body: @Sendable (BSON, ChangeEvent<Document>, ChangeEvent<Document>) async throws -> Document?

    func resolveConflict(
        documentID: BSON, localEvent: ChangeEvent<Document>, remoteEvent: ChangeEvent<Document>
    ) async throws -> Document? { try await body(documentID, localEvent, remoteEvent) }
}
