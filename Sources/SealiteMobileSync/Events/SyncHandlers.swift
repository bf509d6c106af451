internal import SealiteDatabase
internal import SealiteMongo
internal import SealiteReplicator
internal import SealiteValues
internal import Synchronization

/// The application's handlers for the synced documents of a collection, with documents as stored bodies.
struct SyncHandlers: Sendable {
    /// The local or the remote document of a conflict, with its change.
    struct Side: Sendable {
        let operation: SyncOperation
        let isCommitted: Bool
        var before: [UInt8]?
        /// The document's properties in JSONB; nil for a deleted document.
        let body: [UInt8]?
    }

    /// The closure that resolves a conflict: it returns the properties of the result, or nil to delete the document.
    /// The closure itself is nil if the application has no conflict handler.
    let resolve: (@Sendable (_ id: String, _ local: Side, _ remote: Side) async throws -> [UInt8]?)?
    /// A resolver that is used instead of `resolve`; nil if there is none.
    var resolver: (any ConflictResolver)?
    /// Delivers a change event to the application; nil if the application has no change event delegate.
    let tell: (@Sendable (SyncEvent) async throws -> Void)?
    /// Delivers an error to the application, with the `_id` of its document, which is nil if the error concerns the
    /// whole collection. The closure itself is nil if the application has no error listener.
    let fail: (@Sendable (MobileSyncError, BSON?) async -> Void)?

    init<T: Codable & Sendable>(
        _ collection: Collection, of type: T.Type, _ handler: (any ConflictHandler<T>)?,
        _ delegate: (any ChangeEventDelegate<T>)?, _ listener: (any ErrorListener)?
    ) {
        if let handler {
            resolve = { id, local, remote in try await Self.result(handler, collection, id, local, remote) }
        } else {
            resolve = nil
        }
        if let delegate {
            tell = { event in try await Self.tell(event, to: delegate, collection) }
        } else {
            tell = nil
        }
        if let listener {
            fail = { error, id in await listener.on(error: error, forDocumentID: id) }
        } else {
            fail = nil
        }
    }

    /// Creates handlers that resolve conflicts with a resolver of the kind that `Replicator` uses, and receive no
    /// change events.
    init(_ resolver: any ConflictResolver, fail: @escaping @Sendable (MobileSyncError, BSON?) async -> Void) {
        (self.resolver, self.fail) = (resolver, fail)
        (resolve, tell) = (nil, nil)
    }

    private static func result<T: Codable & Sendable>(
        _ handler: any ConflictHandler<T>, _ collection: Collection, _ id: String, _ local: Side, _ remote: Side
    ) async throws -> [UInt8]? {
        func event(_ side: Side) throws -> ChangeEvent<T> {
            try ChangeEvent(
                0, id, side.operation, isCommitted: side.isCommitted, before: side.before, after: side.body,
                in: collection)
        }
        let result = try await handler.resolveConflict(
            documentID: DocumentKey.value(of: id), localEvent: event(local), remoteEvent: event(remote))
        guard let result else { return nil }
        var document = try SyncedBody.encode(result)
        (document[StitchVersion.member], document["_id"]) = (nil, nil)
        for body in [remote.body, local.body].compactMap({ $0 }) {
            // A result that is equal to one side's properties is replaced by the exact bytes of that side, so that it
            // counts as a choice of this side.
            var same = SyncedBody.document(body, id: id)
            same["_id"] = nil
            if same == document { return body }
        }
        return try SyncedBody.stored(document, keeping: local.body ?? remote.body)
    }

    private static func tell<T: Codable & Sendable>(
        _ event: SyncEvent, to delegate: any ChangeEventDelegate<T>, _ collection: Collection
    ) async throws {
        guard case .change(let operation, let isCommitted, let before, let after) = event.content else { return }
        let change = try ChangeEvent<T>(
            event.number, event.documentID, operation, isCommitted: isCommitted, before: before, after: after,
            in: collection)
        await delegate.onEvent(documentID: change.documentID, event: change)
    }
}

/// Holds a collection's current handlers, so that replicators that were started earlier use them after a change.
final class CurrentHandlers: Sendable {
    private let state = Mutex<SyncHandlers?>(nil)

    var value: SyncHandlers? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
