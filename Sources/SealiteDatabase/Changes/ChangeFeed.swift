internal import Glibc
internal import Synchronization

/// Wakes those who follow changes of one file, whichever `Database` of this process made them. What changed they read
/// from the database, from where they last were: so a burst costs no memory, and nothing is lost or told twice.
final class ChangeFeed: Sendable {
    /// A file, whatever path leads to it.
    private struct FileIdentity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private struct WeakFeed { weak var feed: ChangeFeed? }

    private static let feeds = Mutex<[FileIdentity: WeakFeed]>([:])

    private let subscriptions = Mutex<[ObjectIdentifier: Subscription]>([:])

    /// The feed of a file: one for all databases of the process that have it open.
    static func shared(forFileAt path: String) -> ChangeFeed {
        // A file that isn't there has nobody else who follows it.
        guard let identity = identity(path) else { return ChangeFeed() }
        return feeds.withLock { feeds in
            if let feed = feeds[identity]?.feed { return feed }
            feeds = feeds.filter { $0.value.feed != nil }
            let feed = ChangeFeed()
            feeds[identity] = WeakFeed(feed: feed)
            return feed
        }
    }

    private static func identity(_ path: String) -> FileIdentity? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Whether a path leads to a file of a database that this process has open. Nobody else may open and close such a file: the
    /// close would drop SQLite's locks. <https://sqlite.org/howtocorrupt.html>
    static func isOpenDatabase(_ path: String) -> Bool {
        let suffixes = ["-wal", "-shm", "-journal"].filter { path.hasSuffix($0) }
        let identities = ([path] + suffixes.map { String(path.dropLast($0.count)) }).compactMap { identity($0) }
        return feeds.withLock { feeds in identities.contains { feeds[$0]?.feed != nil } }
    }

    /// The number of those who follow the file.
    var followerCount: Int { subscriptions.withLock { $0.count } }

    func add(_ subscription: Subscription) {
        subscriptions.withLock { $0[ObjectIdentifier(subscription)] = subscription }
    }

    /// - Returns: how many subscriptions of the same database are left.
    func remove(_ subscription: Subscription) -> Int {
        subscriptions.withLock { subscriptions in
            subscriptions[ObjectIdentifier(subscription)] = nil
            return subscriptions.values.count { $0.database == subscription.database }
        }
    }

    /// Calls `body` with each follower of the collections.
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

    /// True where someone who follows a collection wants to know what its documents were before they change.
    func wantsEarlierStates(ofCollection number: Int) -> Bool {
        subscriptions.withLock { $0.values.contains { $0.collection == number && $0.wantsEarlierStates } }
    }

    /// Names the documents that are about to be purged to those who follow the collections, and what documents were before they change. They sleep on.
    func willCommit(_ collections: [Transaction.CollectionState]) {
        forEachFollower(of: collections) {
            if !$1.purges.isEmpty { $0.announce($1.purges, after: $1.purgesBefore) }
            if !$1.earlierStates.isEmpty { $0.announce($1.earlierStates) }
        }
    }

    /// Takes back what was announced.
    func willRollBack(_ collections: [Transaction.CollectionState]) {
        forEachFollower(of: collections) {
            if !$1.purges.isEmpty { $0.retract(after: $1.purgesBefore) }
            if !$1.earlierStates.isEmpty { $0.retractStates(after: $1.sequenceBefore) }
        }
    }

    /// Wakes those who follow the collections.
    func didCommit(_ collections: [Transaction.CollectionState]) {
        forEachFollower(of: collections) { subscription, _ in subscription.wake() }
    }

    /// Wakes all who follow the file.
    func wakeAll() {
        let waiting = subscriptions.withLock { Array($0.values) }
        for subscription in waiting { subscription.wake() }
    }

    /// Wakes all who follow a database: someone else has changed the file.
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
