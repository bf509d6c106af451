/// Tells that a collection changed, in this process or another, without reading what. Used by one task.
package final class CollectionWatch: Sendable {
    private let registration: FeedRegistration

    package init(_ collection: Collection) { registration = FeedRegistration(collection, namesPurges: false) }

    /// Waits until the collection has changed since the last call; false once the database is closed or the task cancelled.
    package func next() async -> Bool {
        guard await registration.subscription.wait() else { return false }
        registration.subscription.willLook()
        return true
    }
}
