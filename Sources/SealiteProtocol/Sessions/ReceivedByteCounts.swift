/// The memory that received requests use, in bytes by category, by which the memory that a peer can make this side use
/// is limited.
package struct ReceivedByteCounts: Sendable, Hashable {
    /// Revisions that wait for the current insertion to finish.
    package var backlog = 0
    /// All revisions on their way to the database, which need nothing more from the peer.
    package var queued = 0
    /// Revisions that wait for attachments, which arrive only while reading continues.
    package var incomplete = 0
    /// The part of `incomplete` that belongs to requests that expect a reply.
    package var incompleteUnanswered = 0
    /// Everything except requests that expect a reply, which the connection counts: revisions without reply, and
    /// tables.
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
