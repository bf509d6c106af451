/// The lists of changes and the revisions that were sent to a peer for subscriptions that it has cancelled since, and that
/// it hasn't replied to yet.
///
/// They use memory until the peer has replied. Above ``isFull(_:)``, a further subscription is refused, so that a peer can't
/// exhaust the memory by subscribing and unsubscribing in a loop without replying.
struct CancelledFeeds: Sendable {
    /// The number of unanswered lists above which a further subscription is refused.
    static let listLimit = 64

    private var lists: Set<TaskID> = []
    private var revisions: [TaskID: UInt64] = [:]
    private var revisionByteCount: UInt64 = 0

    /// Returns true if no further feed can begin until the peer has answered earlier lists and revisions.
    func isFull(_ limits: SessionLimits) -> Bool {
        lists.count > Self.listLimit || revisions.count > limits.unansweredRevisions
            || revisionByteCount > limits.unansweredByteCount
    }

    /// Adds a feed's unanswered lists and revisions.
    mutating func add(_ feed: ChangesFeed) {
        lists.formUnion(feed.unansweredLists)
        for (task, byteCount) in feed.unansweredRevisions {
            revisions[task] = byteCount
            revisionByteCount += byteCount
        }
    }

    /// Removes a task whose reply has arrived; returns false if the task belongs to no cancelled feed.
    mutating func take(_ task: TaskID) -> Bool {
        if let byteCount = revisions.removeValue(forKey: task) {
            revisionByteCount -= byteCount
            return true
        }
        return lists.remove(task) != nil
    }
}
