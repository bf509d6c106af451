/// A position in a collection's history: each change of its documents raises one of the two numbers.
package struct ChangePosition: Sendable, Equatable {
    /// The sequence of the last change.
    package var sequence: Int64
    /// The number of documents that were ever purged.
    package var purges: Int64

    package init(sequence: Int64, purges: Int64) {
        self.sequence = sequence
        self.purges = purges
    }
}

/// Follows a collection, or the schema, of this process or another, for layers above that read by themselves what has changed.
package final class ChangeWatch: Sendable {
    private let database: Database
    private let subscription: Subscription

    /// Begins to follow. What is committed from here on wakes the watch.
    ///
    /// - Parameters:
    ///   - database: the database.
    ///   - collection: the number of the collection; nil to be woken by new or deleted collections and indexes, and by changes of other processes.
    ///   - namesPurges: true for one that takes the purged documents with ``takePurges(after:through:)``, which are held until then.
    package init(_ database: Database, collection: Int?, namesPurges: Bool = false) {
        self.database = database
        subscription = Subscription(
            database, collection: collection, namesPurges: namesPurges, wantsEarlierStates: false)
        database.follow(subscription)
    }

    deinit { database.unfollow(subscription) }

    /// Waits until there may be something to see since the last call.
    ///
    /// - Returns: false once the watch has ended, the database was closed or the task was cancelled.
    package func wait() async -> Bool {
        guard await subscription.wait() else { return false }
        subscription.willLook()
        return true
    }

    /// Makes ``wait()`` return.
    package func wake() { subscription.wake() }

    /// Ends the watch.
    package func end() {
        subscription.end()
        database.unfollow(subscription)
    }

    /// Returns the documents that were purged after one purge and up to another, as far as this process did it, and forgets them.
    ///
    /// - Returns: the numbers of the purges, and of the documents.
    package func takePurges(after first: Int64, through last: Int64) -> [(purge: Int64, document: Int64)] {
        subscription.takePurges(after: first, through: last).map { ($0.number, $0.document.number) }
    }
}

extension Collection {
    /// Returns the collection's position, read on the calling thread's transaction or snapshot where it has one and on any connection otherwise.
    ///
    /// - Throws: `notOpen` where the collection was deleted.
    package func changePosition() throws -> ChangePosition {
        try database.reading { connection in
            ChangePosition(sequence: try lastSequence(connection), purges: try purgeCount(connection))
        }
    }
}
