/// The numbers of documents by the outcome of their replication.
package struct OutcomeCounts: Sendable, Hashable {
    /// The number of documents that were pushed and that the peer accepted.
    package var pushed: UInt64 = 0
    /// The number of documents that were offered, and that the peer had already.
    package var known: UInt64 = 0
    /// The number of documents that were pulled without a conflict.
    package var pulled: UInt64 = 0
    /// The number of documents that were purged because access to them was lost.
    package var removed: UInt64 = 0
    /// The number of revisions that the peer sent although they weren't requested, and that were refused.
    package var unrequested: UInt64 = 0
    /// The number of documents that the peer refused when it pulled them. Only the passive side counts them.
    package var refusedByPuller: UInt64 = 0

    package init() {}

    /// Subtracts a part of the numbers.
    static func - (left: OutcomeCounts, right: OutcomeCounts) -> OutcomeCounts {
        var rest = left
        rest.pushed -= right.pushed
        rest.known -= right.known
        rest.pulled -= right.pulled
        rest.removed -= right.removed
        rest.unrequested -= right.unrequested
        rest.refusedByPuller -= right.refusedByPuller
        return rest
    }

    static func + (left: OutcomeCounts, right: OutcomeCounts) -> OutcomeCounts {
        var sum = left
        sum.pushed += right.pushed
        sum.known += right.known
        sum.pulled += right.pulled
        sum.removed += right.removed
        sum.unrequested += right.unrequested
        sum.refusedByPuller += right.refusedByPuller
        return sum
    }
}
