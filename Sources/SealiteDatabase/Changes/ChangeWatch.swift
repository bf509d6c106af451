internal import SealiteJSON

/// Follows a collection, or the set of collections and indexes, for those who wait for commits and find the changes
/// themselves: asynchronous sequences, and higher layers. The watch lasts as long as something refers to it.
package final class ChangeWatch: Sendable {
    private let database: Database
    let subscription: Subscription

    /// Creates a watch. Commits after this call wake it.
    ///
    /// - Parameters:
    ///   - database: the database.
    ///   - collection: the number of the collection; with nil, only new or deleted collections and indexes, and changes
    ///     that polling detects, such as those of other processes, wake the watch.
    ///   - namesPurges: true for a watch whose owner takes the purged documents with ``takePurges(after:through:)``,
    ///     which are held until then.
    ///   - wantsEarlierStates: true for a watch whose owner needs the states of documents before their changes.
    ///   - isPolled: false for a watch that changes of other processes needn't wake: polling needs a connection.
    package init(
        _ database: Database, collection: Int?, namesPurges: Bool = false, wantsEarlierStates: Bool = false,
        isPolled: Bool = true
    ) {
        self.database = database
        subscription = Subscription(
            database, collection: collection, namesPurges: namesPurges, wantsEarlierStates: wantsEarlierStates,
            isPolled: isPolled)
        database.follow(subscription)
    }

    deinit { database.unfollow(subscription) }

    /// Waits for a sign that there may be changes since the previous call.
    ///
    /// - Returns: false once the watch has ended, the database was closed or the task was cancelled.
    package func wait() async -> Bool {
        guard await subscription.wait() else { return false }
        subscription.willLook()
        return true
    }

    /// Ends the current or the next call of ``wait()``, as if there were changes.
    package func wake() { subscription.wake() }

    /// Ends the watch: the current and later calls of `wait()` return false.
    package func end() {
        subscription.end()
        database.unfollow(subscription)
    }

    /// Returns the documents that this process purged, whose purge numbers are greater than `first` and at most `last`,
    /// and forgets them and all with lower numbers. The purges of a collection are numbered from 1.
    ///
    /// - Returns: the number of each purge, and the number of the purged document.
    package func takePurges(after first: Int64, through last: Int64) -> [(purge: Int64, document: Int64)] {
        subscription.takePurges(after: first, through: last).map { ($0.number, $0.document.number) }
    }
}

extension Collection {
    /// Returns the position of the collection's latest change. Reads it in the calling thread's transaction or snapshot
    /// if there is one, otherwise on any connection.
    ///
    /// - Throws: `notOpen` if the collection was deleted.
    package func changePosition() throws -> ChangePosition {
        try database.reading { try position($0) }
    }
}

/// A position in the order of a collection's changes: each save or deletion raises `sequence`, each purge raises
/// `purges`.
package struct ChangePosition: Sendable, Equatable {
    /// The sequence of the last save or deletion up to this position.
    package var sequence: Int64
    /// The number of purges in the collection from its creation to this position.
    package var purges: Int64

    package init(sequence: Int64, purges: Int64) {
        self.sequence = sequence
        self.purges = purges
    }
}
