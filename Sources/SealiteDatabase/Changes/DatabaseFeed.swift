internal import SealiteBase
internal import SealiteFile
internal import Synchronization

/// The change feed of one database: connects the feed of its file with its transactions, and polls for changes of other
/// processes while there are subscriptions.
final class DatabaseFeed: DatabasePart {
    let feed: ChangeFeed
    private let poller = Mutex<ChangePoller?>(nil)

    init(forFileAt path: String) { feed = ChangeFeed.shared(forFileAt: path) }

    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) -> [any RowObserver] {
        feed.wantsEarlierStates(ofCollection: collection.number) ? [EarlierStateObserver()] : []
    }

    /// Announces to the change feed the documents that a transaction will purge, so that subscribers can still name
    /// them once their rows are gone, and the states of documents before the transaction changed them.
    func willCommit(_ transaction: Transaction) {
        feed.willCommit(transaction.collections.filter(\.hasAnnouncements))
    }

    func willRollBack(_ transaction: Transaction) {
        feed.willRollBack(transaction.collections.filter(\.hasAnnouncements))
    }

    func didCommit(_ transaction: Transaction) {
        if transaction.changedSchema {
            feed.wakeAll()
        } else if !transaction.collections.isEmpty {
            feed.didCommit(transaction.collections)
        }
    }

    func end(of database: ObjectIdentifier) {
        poller.withLock { $0 = nil }
        feed.end(of: database)
    }

    /// Registers a subscription, and starts polling with the first one that needs it. If the database is closed, the
    /// subscription ends.
    fileprivate func add(_ subscription: Subscription, of database: Database) {
        feed.add(subscription)
        guard database.file.isOpen else { return subscription.end() }
        guard subscription.isPolled else { return }
        let (opener, configuration, feed) = (database.opener, database.configuration, feed)
        let identity = ObjectIdentifier(database)
        poller.withLock { poller in
            guard poller == nil else { return }
            poller = ChangePoller(every: configuration.pollingInterval, by: configuration.time) {
                try opener.openPoller()
            } onChange: {
                feed.wakeAll(of: identity)
            }
        }
    }

    /// Removes a subscription, and stops polling with the last one that needs it.
    fileprivate func remove(_ subscription: Subscription) {
        if feed.remove(subscription) == 0 { poller.withLock { $0 = nil } }
    }
}

extension Database {
    private var following: DatabaseFeed {
        attachments.object(DatabaseFeed.self) { DatabaseFeed(forFileAt: opener.path) }
    }

    /// The change feed of the database's file, which all databases of the process on that file share.
    var feed: ChangeFeed { following.feed }

    /// Registers a subscription, and starts polling for changes of other processes with the first one that needs it.
    func follow(_ subscription: Subscription) { following.add(subscription, of: self) }

    /// Removes a subscription, and stops polling with the last one that needs it.
    func unfollow(_ subscription: Subscription) { following.remove(subscription) }
}

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
    /// - Returns: the number of remaining subscriptions of the same `Database` object that need polling.
    func remove(_ subscription: Subscription) -> Int {
        subscriptions.withLock { subscriptions in
            subscriptions[ObjectIdentifier(subscription)] = nil
            return subscriptions.values.count { $0.isPolled && $0.database == subscription.database }
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

    /// Wakes all subscriptions to changes of the file, or those of one database that need polling, because another
    /// connection has changed the file.
    func wakeAll(of database: ObjectIdentifier? = nil) {
        let waiting = subscriptions.withLock { subscriptions in
            subscriptions.values.filter { database == nil || $0.isPolled && $0.database == database }
        }
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

/// Detects commits of other processes, and of connections of this process that no `Database` made. While there are
/// subscriptions, it polls SQLite's data version. <https://sqlite.org/pragma.html#pragma_data_version>
final class ChangePoller: Sendable {
    /// The time by which the system may delay a poll, so that it can combine wake-ups.
    private static let leeway = Duration.milliseconds(20)

    private let interval: Duration
    private let open: @Sendable () throws -> RawConnection
    private let onChange: @Sendable () -> Void
    private let timer = Mutex<(any RestartableTimer)?>(nil)
    /// The polling connection, opened by the first poll, and the data version that it last read.
    private let state = Mutex<State>(State())

    // Sendable: used under the lock.
    private struct State: @unchecked Sendable {
        var connection: RawConnection?
        var version: Int64 = 0
    }

    /// Creates a poller, which polls immediately and then at an interval.
    ///
    /// - Parameters:
    ///   - interval: the polling interval.
    ///   - time: the time source for the interval.
    ///   - open: opens the connection for polling; the data version of a connection is comparable only with itself.
    ///   - onChange: called on the poller's queue when the file was changed, and after the first poll.
    init(
        every interval: Duration, by time: any TimeSource, open: @escaping @Sendable () throws -> RawConnection,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.interval = max(interval, .milliseconds(1))
        self.open = open
        self.onChange = onChange
        let started = time.makeTimer("poller") { [weak self] in self?.look() }
        timer.withLock { $0 = started }
        started.set(after: .zero)
    }

    private func look() {
        if hasChanged() { onChange() }
        timer.withLock { $0?.set(after: interval, leeway: Self.leeway) }
    }

    /// Returns whether the file was changed since the last call; false if it can't be read. The first call returns true,
    /// because earlier changes are unknown.
    private func hasChanged() -> Bool {
        state.withLock { state in
            do {
                let connection = try state.connection ?? open()
                state.connection = connection
                let version = try connection.integer("PRAGMA data_version")
                defer { state.version = version }
                return version != state.version
            } catch {
                // The connection is discarded, and the next poll opens a new one, whose data version can't be compared
                // with this one's: it counts as changed.
                state = State()
                return false
            }
        }
    }
}
