internal import Synchronization

/// Wakes the subscribers of changes to one file, whichever `Database` of this process made the changes. Subscribers
/// read the changes from the database, starting at their last position. So a burst of changes costs no memory, and no
/// change is lost or delivered twice.
final class ChangeFeed: Sendable {
    private struct WeakFeed { weak var feed: ChangeFeed? }

    private static let feeds = Mutex<[FileIdentity: WeakFeed]>([:])

    private let subscriptions = Mutex<[ObjectIdentifier: Subscription]>([:])

    /// Returns the feed of a file, which all databases of the process on that file share.
    static func shared(forFileAt path: String) -> ChangeFeed {
        // Without a file there are no other databases on it, so that the feed isn't shared.
        guard let identity = FileIdentity(path) else { return ChangeFeed() }
        return feeds.withLock { feeds in
            if let feed = feeds[identity]?.feed { return feed }
            feeds = feeds.filter { $0.value.feed != nil }
            let feed = ChangeFeed()
            feeds[identity] = WeakFeed(feed: feed)
            return feed
        }
    }

    /// The number of subscriptions to the file's changes in this process.
    var followerCount: Int { subscriptions.withLock { $0.count } }

    func add(_ subscription: Subscription) {
        let known = subscriptions.withLock { $0.updateValue(subscription, forKey: ObjectIdentifier(subscription)) }
        assert(known == nil, "a subscription is added once")
    }

    /// Removes a subscription.
    ///
    /// - Returns: the number of remaining subscriptions of the same `Database` object.
    func remove(_ subscription: Subscription) -> Int {
        subscriptions.withLock { subscriptions in
            subscriptions[ObjectIdentifier(subscription)] = nil
            return subscriptions.values.count { $0.database == subscription.database }
        }
    }

    /// Calls `body` with each subscription to one of the collections, and with the collection's state.
    private func forEachFollower(
        of collections: [Transaction.CollectionState], _ body: (Subscription, Transaction.CollectionState) -> Void
    ) {
        guard !collections.isEmpty else { return }
        let following = subscriptions.withLock { Array($0.values) }
        for subscription in following {
            guard let state = collections.first(where: { $0.number == subscription.collection }) else { continue }
            body(subscription, state)
        }
    }

    /// Returns whether any subscription to the collection with a number needs the states of documents before they
    /// change.
    func wantsEarlierStates(ofCollection number: Int) -> Bool {
        subscriptions.withLock { $0.values.contains { $0.collection == number && $0.wantsEarlierStates } }
    }

    /// Announces the documents that a transaction purges, and the states of documents before its changes, to the
    /// subscriptions to the collections, before the commit. The subscriptions aren't woken yet.
    func willCommit(_ collections: [Transaction.CollectionState]) {
        forEachFollower(of: collections) {
            if !$1.purges.isEmpty { $0.announce($1.purges, after: $1.purgesBefore) }
            if !$1.earlierStates.isEmpty { $0.announce($1.earlierStates) }
        }
    }

    /// Withdraws what `willCommit(_:)` announced of a transaction that is rolled back.
    func willRollBack(_ collections: [Transaction.CollectionState]) {
        forEachFollower(of: collections) {
            if !$1.purges.isEmpty { $0.retract(after: $1.purgesBefore) }
            if !$1.earlierStates.isEmpty { $0.retractStates(after: $1.sequenceBefore) }
        }
    }

    /// Wakes the subscriptions to the collections that a committed transaction has changed.
    func didCommit(_ collections: [Transaction.CollectionState]) {
        forEachFollower(of: collections) { subscription, _ in subscription.wake() }
    }

    /// Wakes all subscriptions to changes of the file.
    func wakeAll() {
        let waiting = subscriptions.withLock { Array($0.values) }
        for subscription in waiting { subscription.wake() }
    }

    /// Wakes all subscriptions of a database because another connection has changed the file.
    func wakeAll(of database: ObjectIdentifier) {
        let waiting = subscriptions.withLock { $0.values.filter { $0.database == database } }
        for subscription in waiting { subscription.wake() }
    }

    /// Ends all subscriptions of a database that is closing.
    func end(of database: ObjectIdentifier) {
        let ending = subscriptions.withLock { subscriptions in
            let ending = subscriptions.values.filter { $0.database == database }
            for subscription in ending { subscriptions[ObjectIdentifier(subscription)] = nil }
            return ending
        }
        for subscription in ending { subscription.end() }
    }
}
