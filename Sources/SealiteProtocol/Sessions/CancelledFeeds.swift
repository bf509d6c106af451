/// The unanswered lists and revisions of feeds that a peer has unsubscribed from.
///
/// They use memory until the peer answers, which a peer that subscribes and unsubscribes in a loop never does.
struct CancelledFeeds: Sendable {
    /// The number of unanswered lists above which a further subscription is refused.
    static let listLimit = 64

    private var lists: Set<TaskID> = []
    private var revisions: [TaskID: UInt64] = [:]
    private var revisionByteCount: UInt64 = 0

    /// Returns whether no further feed can begin until the peer has answered.
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

    /// Removes what was answered; returns false if it belongs to no dropped feed.
    mutating func take(_ task: TaskID) -> Bool {
        if let byteCount = revisions.removeValue(forKey: task) {
            revisionByteCount -= byteCount
            return true
        }
        return lists.remove(task) != nil
    }
}
