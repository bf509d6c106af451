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

    /// Wakes those who follow the collections.
    func didCommit(_ collections: [Transaction.CollectionState]) {
        let waiting = subscriptions.withLock { Array($0.values) }
        for subscription in waiting {
            guard let state = collections.first(where: { $0.number == subscription.collection }) else { continue }
            subscription.wake(purgedIDs: state.purgedIDs)
        }
    }

    /// Wakes all who follow a database: someone else has changed the file.
    func wakeAll(of database: ObjectIdentifier) {
        let waiting = subscriptions.withLock { $0.values.filter { $0.database == database } }
        for subscription in waiting { subscription.wake(purgedIDs: []) }
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

/// One follower of one collection: sleeps until it is woken, cancelled or ended.
final class Subscription: Sendable {
    private struct State {
        var isAwake = false
        var isEnded = false
        var purgedIDs: [String] = []
        var continuation: CheckedContinuation<Void, Never>?
    }

    let database: ObjectIdentifier
    let collection: Int
    private let state = Mutex(State())

    init(_ collection: Collection) {
        database = ObjectIdentifier(collection.database)
        self.collection = collection.number
    }

    /// Tells the follower to look; ids of purged documents are passed on because the database has no trace of them.
    func wake(purgedIDs: [String]) {
        let continuation = state.withLock { state in
            state.isAwake = true
            if state.purgedIDs.count + purgedIDs.count <= Transaction.purgedIDLimit {
                state.purgedIDs.append(contentsOf: purgedIDs)
            }
            return state.continuation.take()
        }
        continuation?.resume()
    }

    func end() {
        let continuation = state.withLock { state in
            state.isEnded = true
            return state.continuation.take()
        }
        continuation?.resume()
    }

    /// The purged ids since the last call; falls asleep again before the caller looks, so that what happens while it looks
    /// wakes it.
    func takePurgedIDs() -> [String] {
        state.withLock { state in
            state.isAwake = false
            defer { state.purgedIDs = [] }
            return state.purgedIDs
        }
    }

    /// Waits until there may be something to see; false when there never will be again.
    func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.isAwake || state.isEnded { return true }
                    state.continuation = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            end()
        }
        return state.withLock { !$0.isEnded }
    }
}
