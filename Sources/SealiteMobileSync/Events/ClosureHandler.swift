internal import SealiteDatabase
internal import SealiteMongo
internal import SealiteReplicator
internal import SealiteValues

/// A conflict handler that calls a closure.
struct ClosureHandler<Document: Codable & Sendable>: ConflictHandler {
    let body: @Sendable (BSON, ChangeEvent<Document>, ChangeEvent<Document>) async throws -> Document?

    func resolveConflict(
        documentID: BSON, localEvent: ChangeEvent<Document>, remoteEvent: ChangeEvent<Document>
    ) async throws -> Document? { try await body(documentID, localEvent, remoteEvent) }
}
