/// The status of a session.
package struct SessionStatus: Sendable, Hashable {
    package enum Activity: Sendable, Hashable {
        /// Agreeing on collections and checkpoints.
        case connecting
        /// Caught up: no work is in progress and all checkpoints are saved.
        case idle
        case busy
    }

    package var activity: Activity
    /// The number of bytes of document bodies that were processed.
    package var completedByteCount: UInt64 = 0
    /// The number of bytes of document bodies that are known to need processing, including the processed ones.
    package var totalByteCount: UInt64 = 0
    /// The number of documents that were processed, whatever their outcome.
    package var documentCount: UInt64 = 0
    /// The numbers of documents by outcome.
    package var outcomes = OutcomeCounts()
    /// A Boolean value that says whether a checkpoint was saved at both sides, so that a later session begins further
    /// on.
    package var hasSavedCheckpoint = false
    /// A Boolean value that says whether the checkpoint of every collection was saved at both sides, so that later
    /// sessions continue a reset without being told to.
    package var hasSavedAllCheckpoints = false
    /// A Boolean value that says whether the session has replicated everything at some time: it was idle, and no
    /// document was deferred to the next session.
    package var hasCaughtUp = false
    /// The indices of the collections whose replication checkpoint the remote has lost, so that everything in them is
    /// compared and offered again.
    package var lostCheckpoints: Set<Int> = []
    /// A Boolean value that says whether the database's file was replaced by an older copy of itself, so that the database
    /// got a new source id.
    package var hasNewSource = false
    /// The names of the remote's collections; nil if the remote wasn't asked for them or didn't return them.
    package var remoteCollections: [String]?

    /// A Boolean value that says whether the session made progress: a document was replicated, a checkpoint was saved,
    /// or it caught up.
    package var hasProgressed: Bool { documentCount > 0 || hasSavedCheckpoint || hasCaughtUp }
}

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
    /// The numbers of revisions that travelled as deltas.
    package var deltas = DeltaCounts()

    package init() {}

    fileprivate func combined(with other: OutcomeCounts, by combine: (UInt64, UInt64) -> UInt64) -> OutcomeCounts {
        var all = self
        all.pushed = combine(pushed, other.pushed)
        all.known = combine(known, other.known)
        all.pulled = combine(pulled, other.pulled)
        all.removed = combine(removed, other.removed)
        all.unrequested = combine(unrequested, other.unrequested)
        all.refusedByPuller = combine(refusedByPuller, other.refusedByPuller)
        all.deltas = deltas.combined(with: other.deltas, by: combine)
        return all
    }
}

/// The progress of push or of pull: numbers of bytes of bodies, and of documents.
struct TransferProgress: Sendable, Hashable {
    var completedByteCount: UInt64 = 0
    var totalByteCount: UInt64 = 0
    var documentCount: UInt64 = 0
    var outcomes = OutcomeCounts()

    mutating func add(_ byteCount: UInt64) { totalByteCount += byteCount }

    mutating func complete(_ byteCount: UInt64) {
        completedByteCount += byteCount
        documentCount += 1
    }

    /// Subtracts a part of the progress.
    static func - (left: TransferProgress, right: TransferProgress) -> TransferProgress {
        left.combined(with: right, by: -)
    }

    static func + (left: TransferProgress, right: TransferProgress) -> TransferProgress {
        left.combined(with: right, by: +)
    }

    private func combined(with other: TransferProgress, by combine: (UInt64, UInt64) -> UInt64) -> TransferProgress {
        TransferProgress(
            completedByteCount: combine(completedByteCount, other.completedByteCount),
            totalByteCount: combine(totalByteCount, other.totalByteCount),
            documentCount: combine(documentCount, other.documentCount),
            outcomes: outcomes.combined(with: other.outcomes, by: combine))
    }
}

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

    static func += (left: inout ReceivedByteCounts, right: ReceivedByteCounts) { left.add(right, times: 1) }

    static func -= (left: inout ReceivedByteCounts, right: ReceivedByteCounts) { left.add(right, times: -1) }

    private mutating func add(_ other: ReceivedByteCounts, times sign: Int) {
        backlog += sign * other.backlog
        queued += sign * other.queued
        incomplete += sign * other.incomplete
        incompleteUnanswered += sign * other.incompleteUnanswered
        uncounted += sign * other.uncounted
    }
}

/// The sums over the parts of a session, of which each collection has one. After a step only the shares of the parts that
/// the step touched are replaced, so that a step costs as much with a thousand collections as with one.
struct PartTotals: Sendable {
    /// The contribution of one part to the sums.
    struct Share: Sendable {
        var isBusy = false
        /// A Boolean value that says whether the part has progress that its replication checkpoint lacks.
        var isUnsaved = false
        /// A Boolean value that says whether the part has saved a replication checkpoint in this session.
        var hasSaved = false
        var progress = TransferProgress()
        var received = ReceivedByteCounts()
        /// The bytes of revisions that wait for messages of the peer, such as attachments.
        var waitingByteCount = 0
        /// The bytes of the document IDs in the peer's subscription.
        var filterByteCount = 0
        /// The time at which the part is to be woken; nil if it needn't be.
        var deadline: Moment?
        /// The error because of which a revision was left to the next session; nil if none was left.
        var leftError: SessionError?
    }

    private var shares: [Int: Share] = [:]
    private var deadlines: [Int: Moment] = [:]
    private var leftErrors: [Int: SessionError] = [:]
    private(set) var busyCount = 0
    private(set) var unsavedCount = 0
    private(set) var savedCount = 0
    private(set) var progress = TransferProgress()
    private(set) var received = ReceivedByteCounts()
    private(set) var waitingByteCount = 0
    private(set) var filterByteCount = 0
    /// The earliest time at which a part is to be woken; nil if none needs to be.
    private(set) var deadline: Moment?

    /// The error because of which the first of the parts with one left a revision to the next session.
    var leftError: SessionError? { leftErrors.min { $0.key < $1.key }?.value }

    subscript(index: Int) -> Share { shares[index] ?? Share() }

    /// Returns the parts whose time to be woken has come.
    func due(at now: Moment) -> [Int] { deadlines.filter { $0.value <= now }.keys.sorted() }

    /// Replaces the share of a part.
    mutating func update(_ index: Int, _ new: Share) {
        let old = self[index]
        shares[index] = new
        busyCount += (new.isBusy ? 1 : 0) - (old.isBusy ? 1 : 0)
        unsavedCount += (new.isUnsaved ? 1 : 0) - (old.isUnsaved ? 1 : 0)
        savedCount += (new.hasSaved ? 1 : 0) - (old.hasSaved ? 1 : 0)
        progress = progress - old.progress + new.progress
        received -= old.received
        received += new.received
        waitingByteCount += new.waitingByteCount - old.waitingByteCount
        filterByteCount += new.filterByteCount - old.filterByteCount
        assert(busyCount >= 0 && unsavedCount >= 0 && savedCount >= 0, "each part counts once")
        assert(waitingByteCount >= 0 && filterByteCount >= 0, "each byte counts once")
        leftErrors[index] = new.leftError
        defer { assert((deadline == nil) == deadlines.isEmpty, "the earliest deadline is one of the parts'") }
        guard new.deadline != old.deadline else { return }
        deadlines[index] = new.deadline
        if let time = new.deadline, time <= deadline ?? time {
            deadline = time
        } else if old.deadline == deadline {
            deadline = deadlines.values.min()
        }
    }
}
