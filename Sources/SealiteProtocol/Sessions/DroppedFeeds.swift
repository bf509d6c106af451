/// The lists and revisions of feeds that a peer has unsubscribed from, and has yet to answer.
///
/// It is held until the peer answers, which a peer that subscribes and unsubscribes in a loop never does.
struct DroppedFeeds: Sendable {
    /// Unanswered lists above which a further subscription is refused.
    static let listLimit = 64

    private var lists: Set<TaskID> = []
    private var revisions: [TaskID: UInt64] = [:]
    private var revisionByteCount: UInt64 = 0

    /// Returns whether no further feed is begun until the peer has answered.
    func isFull(_ limits: SessionLimits) -> Bool {
        lists.count > Self.listLimit || revisions.count > limits.unansweredRevisions
            || revisionByteCount > limits.unansweredByteCount
    }

    /// Adds what a feed has yet to be answered.
    mutating func add(_ feed: ChangesFeed) {
        lists.formUnion(feed.unansweredLists)
        for (task, byteCount) in feed.unansweredRevisions {
            revisions[task] = byteCount
            revisionByteCount += byteCount
        }
    }

    /// Takes out what was answered; false if it is of no dropped feed.
    mutating func take(_ task: TaskID) -> Bool {
        if let byteCount = revisions.removeValue(forKey: task) {
            revisionByteCount -= byteCount
            return true
        }
        return lists.remove(task) != nil
    }
}
