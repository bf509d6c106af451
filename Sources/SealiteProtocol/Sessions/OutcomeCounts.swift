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
    /// The number of documents that the peer refused when it pulled them. Only the passive side counts them.
    package var refusedByPuller: UInt64 = 0

    package init() {}

    static func + (left: OutcomeCounts, right: OutcomeCounts) -> OutcomeCounts {
        var sum = left
        sum.pushed += right.pushed
        sum.known += right.known
        sum.pulled += right.pulled
        sum.removed += right.removed
        sum.refusedByPuller += right.refusedByPuller
        return sum
    }
}
