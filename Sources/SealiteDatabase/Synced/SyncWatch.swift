internal import SealiteConcurrency
internal import Synchronization

/// Tells, within the process, that the state of synced documents has changed, and keeps the collections that are written by their sync alone.
package final class SyncWatch: DatabasePart {
    private let news = Broadcast<[Int: SyncChanges]>()
    private let configured = Mutex<Set<Int>>([])

    init() {}

    /// Calls a listener after each commit with news of a collection, on the writer's queue.
    ///
    /// - Returns: the closure that removes the listener.
    package func listen(
        to collection: Collection, _ listener: @escaping @Sendable (SyncChanges) -> Void
    ) -> @Sendable () -> Void {
        let number = collection.number
        return news.add { if let own = $0[number] { listener(own) } }
    }

    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) -> [any RowObserver] { last.isSynced ? [SyncObserver(self)] : [] }

    func didCommit(_ transaction: Transaction) {
        if !transaction.sync.news.isEmpty { news.tell(transaction.sync.news) }
    }

    func isConfigured(_ collection: Int) -> Bool { configured.withLock { $0.contains(collection) } }

    /// Has a collection's documents written by its sync alone, as long as any is synced.
    package func configure(_ collection: Collection) { configured.withLock { _ = $0.insert(collection.number) } }
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
