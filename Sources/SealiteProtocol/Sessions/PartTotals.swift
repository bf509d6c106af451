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
