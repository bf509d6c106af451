/// The lists of changes and the revisions that were sent to a peer for subscriptions that it has cancelled since, and
/// that it hasn't replied to yet.
///
/// They use memory until the peer has replied. If `isFull(_:)` is true, a further subscription is refused, so that a
/// peer can't exhaust the memory by subscribing and unsubscribing in a loop without replying.
struct CancelledFeeds: Sendable {
    /// The number of unanswered lists above which a further subscription is refused.
    static let listLimit = 64

    private var lists: Set<TaskID> = []
    private var revisions: [TaskID: UInt64] = [:]
    private var revisionByteCount: UInt64 = 0

    /// Returns whether no further subscription may begin until the peer has replied to earlier lists and revisions.
    func isFull(_ limits: SessionLimits) -> Bool {
        lists.count > Self.listLimit || revisions.count > limits.unansweredRevisions
            || revisionByteCount > limits.unansweredByteCount
    }

    /// Adds the unanswered lists and revisions of a feed whose subscription was cancelled.
    mutating func add(_ feed: ChangesFeed) {
        lists.formUnion(feed.unansweredLists)
        for (task, byteCount) in feed.unansweredRevisions {
            assert(revisions[task] == nil, "a feed is cancelled once")
            revisions[task] = byteCount
            revisionByteCount += byteCount
        }
    }

    /// Removes a list or revision whose reply has arrived; returns false if it belongs to no cancelled subscription.
    mutating func take(_ task: TaskID) -> Bool {
        if let byteCount = revisions.removeValue(forKey: task) {
            revisionByteCount -= byteCount
            assert(!revisions.isEmpty || revisionByteCount == 0, "each byte is counted once")
            return true
        }
        return lists.remove(task) != nil
    }
}
