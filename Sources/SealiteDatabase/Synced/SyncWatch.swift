internal import SealiteBase
internal import Synchronization

/// Tells listeners about the changes of the state of per-document sync that one `Database` object commits, and knows
/// the collections that are configured for it: while any of their documents is synced, local writes must go through the
/// sync.
package final class SyncWatch: DatabasePart {
    private let news = Broadcast<[Int: SyncChanges]>()
    private let configured = Mutex<Set<Int>>([])

    init() {}

    /// Adds a listener that is called on the writer's queue after each commit of this `Database` object that added,
    /// removed or paused synced documents of a collection, made them stale, or stored events.
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

    /// Makes the collection writable only through its sync, while any of its documents is synced.
    package func configure(_ collection: Collection) { configured.withLock { _ = $0.insert(collection.number) } }
}

extension Database {
    /// The database's ``SyncWatch``, which reports changes of the state of per-document sync.
    package var syncWatch: SyncWatch { attachments.object(SyncWatch.self) { SyncWatch() } }

    /// Runs `body` as one transaction, whose writes count as writes through per-document sync: documents that it
    /// inserts in the collection become synced documents.
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
