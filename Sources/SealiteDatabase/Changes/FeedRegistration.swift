internal import SealiteJSON

/// The registration of a subscription, which lasts as long as a sequence or an iterator refers to it.
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
