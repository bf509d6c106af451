internal import SealiteDatabase
internal import SealiteReplicator

/// Resolves conflicts of synced documents with the application's conflict handler.
struct MobileConflictResolver: ConflictResolver {
    /// The error that leaves a conflict unresolved: there is no conflict handler, or the document isn't synced or is
    /// paused.
    private struct Undecided: Error {}

    let documents: SyncedDocuments
    let handlers: CurrentHandlers

    func resolve(_ conflict: Conflict) async throws -> Resolution {
        let id = conflict.documentID
        let collection = documents.collection
        let record = try await collection.database.readShortly { try documents.record(id) }
        guard let record, record.isSelected, let handlers = handlers.value else { throw Undecided() }
        // No local change is pending any more: the remote has received it meanwhile, so its revision is right.
        guard record.pending != nil else { return .remote }
        // A document inserted locally is unrelated to an older one that was deleted at the remote.
        if record.pending == .insert, conflict.remoteDocument == nil, conflict.localDocument != nil { return .local }
        // Equal documents need no decision.
        if let local = conflict.localDocument, local.body == conflict.remoteDocument?.body { return .remote }
        do {
            if let resolver = handlers.resolver { return try await resolver.resolve(conflict) }
            guard let resolve = handlers.resolve else { throw Undecided() }
            return try await resolution(conflict, record, resolve)
        } catch let error as Undecided {
            throw error
        } catch {
            let told = MobileSyncError(
                .resolutionError,
                "the conflict handler threw an error, or a document couldn't be decoded for it or encoded afterwards (an error of the type \(type(of: error))); the document is paused"
            )
            try await collection.database.write { _ in try documents.pause(id, told.pause) }
            throw error
        }
    }

    private func resolution(
        _ conflict: Conflict, _ record: SyncRecord,
        _ resolve: @Sendable (String, SyncHandlers.Side, SyncHandlers.Side) async throws -> [UInt8]?
    ) async throws -> Resolution {
        let (local, remote) = (conflict.localDocument?.body, conflict.remoteDocument?.body)
        let ours = SyncHandlers.Side(
            operation: local == nil ? .delete : record.pending ?? .replace, isCommitted: false, before: record.base,
            body: local)
        let theirs = SyncHandlers.Side(
            operation: remote == nil ? .delete : .replace, isCommitted: true, before: nil, body: remote)
        guard let result = try await resolve(conflict.documentID, ours, theirs) else { return .deleted }
        if result == remote { return .remote }
        if result == local { return .local }
        let merged = MutableDocument(id: conflict.documentID)
        merged.setEncoded(result)
        return .merged(merged)
    }
}
