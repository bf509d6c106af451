internal import Synchronization

/// Tells, within the process, that the state of synced documents has changed, and keeps the collections that are written by their sync alone.
package final class SyncWatch: DatabasePart {
    private struct State {
        var listeners: [String: @Sendable () -> Void] = [:]
        var configured: Set<Int> = []
    }

    private let state = Mutex(State())

    init() {}

    /// Calls a listener after each commit with such a change, on the writer's queue; nil ends that.
    package func listen(_ name: String, _ listener: (@Sendable () -> Void)?) {
        state.withLock { $0.listeners[name] = listener }
    }

    func tell() {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener() }
    }

    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) -> [any RowObserver] { last.isSynced ? [SyncObserver(self)] : [] }

    func didCommit(_ transaction: Transaction) {
        if transaction.sync.hasNews { tell() }
    }

    func isConfigured(_ collection: Int) -> Bool { state.withLock { $0.configured.contains(collection) } }

    /// Has a collection's documents written by its sync alone, as long as any is synced.
    package func configure(_ collection: Collection) { state.withLock { _ = $0.configured.insert(collection.number) } }
}

extension Database {
    /// The watch over changes of the state of synced documents.
    package var syncWatch: SyncWatch { attachments.object(SyncWatch.self) { SyncWatch() } }

    /// Runs `body` as one transaction in which documents are written for the sync of their collection: what it inserts joins the set.
    package func writeSynced<Result: Sendable>(
        _ collection: Collection, _ body: @Sendable (borrowing WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await write { transaction in
            _ = try transaction.transaction.madeSyncSpace(of: collection)
            let before = transaction.transaction.sync.isWriting
            transaction.transaction.sync.isWriting = true
            defer { transaction.transaction.sync.isWriting = before }
            return try body(transaction)
        }
    }
}
