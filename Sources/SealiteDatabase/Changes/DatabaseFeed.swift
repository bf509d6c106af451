internal import SealiteBase
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

    /// Registers a subscription, and starts polling with the first one. If the database is closed, the subscription
    /// ends.
    fileprivate func add(_ subscription: Subscription, of database: Database) {
        feed.add(subscription)
        guard database.file.isOpen else { return subscription.end() }
        let (opener, configuration, feed) = (database.opener, database.configuration, feed)
        let identity = ObjectIdentifier(database)
        poller.withLock { poller in
            guard poller == nil else { return }
            poller = ChangePoller(every: configuration.pollingInterval, by: configuration.time) {
                try opener.openReader(Database.connectionConfiguration(configuration, cacheKibibytes: 64))
            } onChange: {
                feed.wakeAll(of: identity)
            }
        }
    }

    /// Removes a subscription, and stops polling with the last one.
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

    /// Registers a subscription, and starts polling for changes of other processes with the first one.
    func follow(_ subscription: Subscription) { following.add(subscription, of: self) }

    /// Removes a subscription, and stops polling with the last one.
    func unfollow(_ subscription: Subscription) { following.remove(subscription) }
}
