/// The memory that received requests use, in bytes by category, by which the memory that a peer can make this side use
/// is limited.
package struct ReceivedByteCounts: Sendable, Hashable {
    /// The bytes of revisions that wait for the current insertion to finish.
    package var backlog = 0
    /// The bytes of all revisions on their way to the database, which need nothing more from the peer.
    package var queued = 0
    /// The bytes of received revisions that wait for attachments, which arrive only while reading from the connection
    /// continues.
    package var incomplete = 0
    /// The part of `incomplete` that belongs to requests to which this side hasn't replied yet. The connection's count
    /// of unanswered requests contains these bytes as well.
    package var incompleteUnanswered = 0
    /// The bytes that aren't in the connection's count of unanswered requests: those of revisions in requests that
    /// expect no reply, and of the session's tables.
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
