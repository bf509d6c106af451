/// Bytes that received requests hold, by where they are; what a peer makes this side hold is bounded by them.
package struct ReceivedByteCounts: Sendable, Hashable {
    /// Of revisions behind those that are being inserted.
    package var backlog = 0
    /// Of all revisions on their way to the database, whose end needs nothing more from the peer.
    package var queued = 0
    /// Of revisions that wait for attachments, which only come while reading goes on.
    package var incomplete = 0
    /// Those of them of requests that want an answer.
    package var incompleteUnanswered = 0
    /// Of everything beside requests that want an answer, which the connection counts: revisions that want none, and tables.
    package var uncounted = 0

    static func += (left: inout ReceivedByteCounts, right: ReceivedByteCounts) {
        left.backlog += right.backlog
        left.queued += right.queued
        left.incomplete += right.incomplete
        left.incompleteUnanswered += right.incompleteUnanswered
        left.uncounted += right.uncounted
    }

    static func -= (left: inout ReceivedByteCounts, right: ReceivedByteCounts) {
        left.backlog -= right.backlog
        left.queued -= right.queued
        left.incomplete -= right.incomplete
        left.incompleteUnanswered -= right.incompleteUnanswered
        left.uncounted -= right.uncounted
    }
}
