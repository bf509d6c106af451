internal import SealiteJSON

/// The registration of a subscription to a collection's changes, which lasts as long as an asynchronous sequence or its
/// iterator refers to it.
final class FeedRegistration: Sendable {
    let collection: Collection
    let subscription: Subscription

    init(_ collection: Collection, namesPurges: Bool, wantsEarlierStates: Bool = false) {
        self.collection = collection
        subscription = Subscription(
            collection.database, collection: collection.number, namesPurges: namesPurges,
            wantsEarlierStates: wantsEarlierStates)
        collection.database.follow(subscription)
    }

    deinit { collection.database.unfollow(subscription) }
}
