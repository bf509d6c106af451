public import SealiteValues

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
