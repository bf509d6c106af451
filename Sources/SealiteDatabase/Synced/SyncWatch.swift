internal import SealiteConcurrency
internal import Synchronization

/// What a transaction has changed of the sync of a collection.
package struct SyncNews: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Documents joined or left the set, or have to be looked up.
    package static let documents = SyncNews(rawValue: 1)
    /// Events wait to be told.
    package static let events = SyncNews(rawValue: 2)
}

/// Tells, within the process, that the state of synced documents has changed, and keeps the collections that are written by their sync alone.
package final class SyncWatch: Sendable {
    private let news = Broadcast<[Int: SyncNews]>()
    private let configured = Mutex<Set<Int>>([])

    init() {}

    /// Calls a listener after each commit with news of a collection, on the writer's queue.
    ///
    /// - Returns: the closure that removes the listener.
    package func listen(
        to collection: Collection, _ listener: @escaping @Sendable (SyncNews) -> Void
    ) -> @Sendable () -> Void {
        let number = collection.number
        return news.add { if let own = $0[number] { listener(own) } }
    }

    func tell(_ all: [Int: SyncNews]) { news.tell(all) }

    func isConfigured(_ collection: Int) -> Bool { configured.withLock { $0.contains(collection) } }

    /// Has a collection's documents written by its sync alone, as long as any is synced.
    package func configure(_ collection: Collection) { configured.withLock { _ = $0.insert(collection.number) } }
}

extension Database {
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
