public import SealiteValues

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
