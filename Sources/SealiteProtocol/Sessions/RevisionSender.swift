internal import SealiteRevisions

/// Sends the revisions that the peer wants: loads their bodies, sends a bounded number at a time, and reports the
/// outcome of each.
///
/// Both the active side's pusher and the passive side's feed use it.
struct RevisionSender: Sendable {
    /// A revision that the peer wants.
    struct Item: Sendable, Hashable {
        var change: LocalChange
        /// The versions of the document that the peer has.
        var knownAncestors: [Version]
        var maxHistory: Int
        var listsAttachments: Bool
        /// See `RevisionQuery.omitsOldTreeIDs`.
        var omitsOldTreeIDs = false
        var allowsReplacement: Bool
        /// A Boolean value that says whether the peer takes a delta in place of the body.
        var takesDelta = false
        /// A Boolean value that says whether the peer is to refuse the revision if it conflicts.
        var isConflictRefused: Bool
    }

    /// The outcome of a revision that the peer wanted.
    enum Outcome: Sendable, Equatable {
        case accepted(Item)
        /// The revision isn't sent: the document doesn't exist (status 404), or has another current revision (410).
        case gone(Item, status: Int)
        case refused(Item, BLIPErrorReply)
        case failed(StoreFailure)
    }

    private struct Sent: Sendable {
        let item: Item
        let byteCount: UInt64
        /// By how many bytes the delta that was sent is smaller than the body; nil if the body was sent.
        let savedByteCount: UInt64?
    }

    /// The maximum memory for the known ancestors of all queued and unanswered revisions, in bytes. Those of further
    /// revisions are dropped, which makes their histories longer.
    static let ancestorByteLimit = 2 << 20

    let collection: Int
    let wireCollection: Int?
    private let limits: SessionLimits
    private var queue = Queue<Item>()
    private var loading: (task: TaskID, items: [Item], byteCount: UInt64)?
    private var sent: [TaskID: Sent] = [:]
    private var unansweredByteCount: UInt64 = 0
    private var ancestorByteCount = 0
    private var heldCount = 0
    private(set) var deltas = DeltaTally()

    init(collection: Int, wireCollection: Int?, limits: SessionLimits) {
        self.collection = collection
        self.wireCollection = wireCollection
        self.limits = limits
    }

    var queuedCount: Int { queue.count }
    var isBusy: Bool { queuedCount > 0 || loading != nil || !sent.isEmpty }
    /// The memory for the revisions that the peer wants and hasn't replied to, in bytes: the peer determines their
    /// number and the ancestors.
    var heldByteCount: Int { ancestorByteCount + heldCount * MemoryLayout<Item>.stride }

    /// The revisions that wait for the peer's replies, with the sizes of their bodies in bytes.
    var unanswered: [TaskID: UInt64] { sent.mapValues(\.byteCount) }

    /// Queues a revision; `proceed` sends it.
    mutating func append(_ item: Item) {
        var item = item
        if ancestorByteCount + item.ancestorByteCount > Self.ancestorByteLimit { item.knownAncestors = [] }
        ancestorByteCount += item.ancestorByteCount
        heldCount += 1
        queue.append(item)
    }

    /// Subtracts the memory of a revision that has ended.
    private mutating func release(_ item: Item) {
        ancestorByteCount -= item.ancestorByteCount
        heldCount -= 1
        assert(ancestorByteCount >= 0 && heldCount >= 0, "a revision ends once")
    }

    /// Loads and sends as many revisions as the limits allow.
    mutating func proceed(_ actions: inout SessionActions) {
        guard loading == nil, queuedCount > 0, hasRoom, actions.revisions.admits(collection) else { return }
        var items: [Item] = []
        var byteCount = unansweredByteCount
        while items.count < limits.loadingRevisions {
            guard items.isEmpty || byteCount < limits.unansweredByteCount, let item = queue.popFirst() else { break }
            byteCount += item.change.bodyByteCount
            items.append(item)
        }
        assert(!items.isEmpty && items.count <= limits.loadingRevisions, "a request loads something")
        assert(byteCount >= unansweredByteCount)
        let queries = items.map { item in
            RevisionQuery(
                documentID: item.change.documentID, version: item.change.version,
                knownAncestors: item.knownAncestors, maxHistory: item.maxHistory,
                listsAttachments: item.listsAttachments, omitsOldTreeIDs: item.omitsOldTreeIDs,
                allowsReplacement: item.allowsReplacement, takesDelta: item.takesDelta && !deltas.isGivenUp)
        }
        loading = (
            actions.store(.loadRevisions(queries), collection: collection), items, byteCount - unansweredByteCount
        )
        countShare(&actions)
    }

    /// Counts what is being loaded or has no reply in the window that the collections of the connection share.
    private func countShare(_ actions: inout SessionActions) {
        let amount = SharedWindow.Amount(
            count: sent.count + (loading?.items.count ?? 0),
            byteCount: unansweredByteCount + (loading?.byteCount ?? 0))
        actions.revisions.setShare(of: collection, to: amount)
    }

    private var hasRoom: Bool {
        unansweredByteCount < limits.unansweredByteCount && sent.count < limits.unansweredRevisions
    }

    /// Processes the result of a requested task, and returns the outcomes of the revisions that ended with it.
    mutating func finished(_ task: TaskID, _ result: TaskResult, _ actions: inout SessionActions) -> [Outcome] {
        var outcomes: [Outcome] = []
        if case .reply(let reply) = result, let revision = sent.removeValue(forKey: task) {
            unansweredByteCount -= revision.byteCount
            assert(!sent.isEmpty || unansweredByteCount == 0, "each byte is counted once")
            answered(revision, reply, &outcomes, &actions)
        } else if let batch = loading, batch.task == task {
            loading = nil
            switch result {
            case .store(.revisions(let revisions)):
                assert(batch.items.count == revisions.count, "each query has a result")
                for (item, revision) in zip(batch.items, revisions) { send(item, revision, &outcomes, &actions) }
            case .store(.failed(let failure)):
                for item in batch.items { release(item) }
                outcomes.append(.failed(failure))
            default: break
            }
        }
        countShare(&actions)
        proceed(&actions)
        return outcomes
    }

    private mutating func answered(
        _ revision: Sent, _ reply: BLIPReply, _ outcomes: inout [Outcome], _ actions: inout SessionActions
    ) {
        if revision.savedByteCount != nil, let error = reply.error, error.isRefusalOfDelta {
            deltas.refused()
            var event = DocumentEvent(
                collection: collection, documentID: revision.item.change.documentID, isPush: true)
            event.deltaRefusal = "the peer refused it with \(error.domain) \(error.code)"
            actions.report(event)
            // The revision stays one that the peer wants, and its whole body follows.
            var item = revision.item
            item.takesDelta = false
            queue.append(item)
            return
        }
        if let saved = revision.savedByteCount, reply.error == nil { deltas.sent(saving: saved) }
        release(revision.item)
        outcomes.append(reply.error.map { .refused(revision.item, $0) } ?? .accepted(revision.item))
    }

    /// Removes and returns what was counted of deltas since the last call.
    mutating func takeDeltaCounts() -> DeltaCounts { deltas.take() }

    private mutating func send(
        _ item: Item, _ revision: LoadedRevision, _ outcomes: inout [Outcome], _ actions: inout SessionActions
    ) {
        let change = item.change
        let sequence = RemoteSequence(change.sequence)
        switch revision {
        case .found(let found):
            var request = RevisionRequest(
                documentID: change.documentID, version: found.version, sequence: sequence,
                history: found.history.historyText, isDeleted: found.isDeleted,
                isConflictRefused: item.isConflictRefused,
                body: found.body, collection: wireCollection)
            request.deltaSource = found.delta?.source
            if found.version != change.version { request.replacedVersion = change.version }
            let byteCount = UInt64(found.body.count)
            actions.offer(found.attachments, collection: collection)
            assert(heldCount > sent.count, "what is sent was wanted")
            sent[actions.send(request.message)] = Sent(
                item: item, byteCount: byteCount, savedByteCount: found.delta?.savedByteCount)
            unansweredByteCount += byteCount
        case .missing, .obsolete:
            let status = revision == .missing ? 404 : 410
            // Only a passive side has promised a revision.
            if !item.isConflictRefused {
                let request = NoRevisionRequest(
                    documentID: change.documentID, version: change.version, sequence: sequence, status: status,
                    collection: wireCollection)
                actions.perform(.sendOnly(request.message))
            }
            release(item)
            outcomes.append(.gone(item, status: status))
        }
    }
}

extension RevisionSender.Item {
    /// The memory for the item's known ancestors, in bytes.
    fileprivate var ancestorByteCount: Int { knownAncestors.heldByteCount }
}

/// A window that the collections of a connection share: what they have in progress stays near a limit together, and they
/// take turns while the limit is reached.
///
/// A collection that wants more asks `admits(_:)`. If the window has no room, or others wait already, the collection waits
/// for its turn, which the session gives to one after another: `beginTurn()`.
struct SharedWindow: Sendable {
    /// An amount of work in progress: a number of things, and of their bytes.
    struct Amount: Sendable, Equatable {
        var count = 0
        var byteCount: UInt64 = 0
    }

    /// The amounts at which no collection begins more.
    private let limit: Amount
    private(set) var total = Amount()
    private var shares: [Int: Amount] = [:]
    private var waiting = Queue<Int>()
    private var isWaiting: Set<Int> = []
    /// The collection whose turn it is; nil if there is none, or it has begun something.
    private var turn: Int?

    init(count: Int, byteCount: UInt64 = .max) { limit = Amount(count: count, byteCount: byteCount) }

    private var hasRoom: Bool { total.count < limit.count && total.byteCount < limit.byteCount }

    /// Sets what a collection has in progress.
    mutating func setShare(of collection: Int, to amount: Amount) {
        assert(amount.count >= 0)
        let old = shares[collection] ?? Amount()
        guard amount != old else { return }
        total.count += amount.count - old.count
        total.byteCount = total.byteCount - old.byteCount + amount.byteCount
        shares[collection] = amount == Amount() ? nil : amount
        assert(total.count >= amount.count && total.byteCount >= amount.byteCount, "each share counts once")
        assert(!shares.isEmpty || total == Amount(), "each share counts once")
    }

    /// Returns whether a collection may begin more now. Otherwise it waits for its turn.
    mutating func admits(_ collection: Int) -> Bool {
        if turn == collection {
            turn = nil
            return true
        }
        if hasRoom, waiting.isEmpty { return true }
        if isWaiting.insert(collection).inserted { waiting.append(collection) }
        return false
    }

    /// Gives the turn to the collection that has waited longest, and returns it; nil if none waits or there is no room.
    mutating func beginTurn() -> Int? {
        assert(turn == nil, "one collection has the turn at a time")
        guard hasRoom, let collection = waiting.popFirst() else { return nil }
        isWaiting.remove(collection)
        assert(waiting.count == isWaiting.count, "a collection waits once")
        turn = collection
        return collection
    }

    /// Ends the turn that `beginTurn()` has given.
    mutating func endTurn() { turn = nil }
}
