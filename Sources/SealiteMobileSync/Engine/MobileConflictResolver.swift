internal import SealiteDatabase
internal import SealiteReplicator

/// Decides conflicts of synced documents by the application's handler.
struct MobileConflictResolver: ConflictResolver {
    /// There is nobody to ask now: the conflict stays.
    private struct Undecided: Error {}

    let documents: SyncedDocuments
    let handlers: CurrentHandlers

    func resolve(_ conflict: Conflict) async throws -> Resolution {
        let id = conflict.documentID
        let collection = documents.collection
        let record = try await collection.database.read { try documents.record(id) }
        guard let record, record.pause == nil, let resolve = handlers.value?.resolve else { throw Undecided() }
        let (local, remote) = (conflict.localDocument?.body, conflict.remoteDocument?.body)
        // A document that was inserted here has nothing to do with an older one that is deleted there.
        if record.pending == .insert, remote == nil, local != nil { return .local }
        let ours = SyncHandlers.Side(
            operation: local == nil ? .delete : record.pending ?? .replace, isCommitted: false, before: record.base,
            body: local)
        let theirs = SyncHandlers.Side(
            operation: remote == nil ? .delete : .replace, isCommitted: true, before: nil, body: remote)
        let result: [UInt8]?
        do {
            result = try await resolve(id, ours, theirs)
        } catch {
            let told = MobileSyncError(.resolutionError, "the conflict handler failed: \(type(of: error))")
            try await collection.database.write { _ in try documents.pause(id, told.pause) }
            throw error
        }
        guard let result else { return .deleted }
        if result == remote { return .remote }
        if result == local { return .local }
        let merged = MutableDocument(id: id)
        merged.setEncoded(result)
        return .merged(merged)
    }
}
