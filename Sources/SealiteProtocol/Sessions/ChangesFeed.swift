internal import SealiteJSON
internal import SealiteRevisions

/// Announces the changes of one collection to the active side that subscribed to them, and sends the revisions that the
/// active side wants.
struct ChangesFeed: Sendable {
    /// A consequence of a step, for the session.
    enum Event: Sendable, Equatable {
        /// The session ends with this error.
        case failed(SessionError)
        /// The peer refused a revision that it had wanted.
        case refused
    }

    let collection: Int
    let wireCollection: Int?
    private let request: SubChangesRequest
    private let limits: SessionLimits
    private var sender: RevisionSender
    private var lists: [TaskID: [LocalChange]] = [:]
    private var scanning: TaskID?
    private var scannedThrough: UInt64
    /// The sequence up to which tombstones are left out: the collection's last one when the feed began, which the first
    /// page of changes brings. A later tombstone may concern a document that was announced before its deletion.
    private var activeOnlyThrough: UInt64
    private var hasReachedEnd = false
    private var hasMore = false
    private var hasAnnouncedEnd = false
    /// A Boolean value that says whether this side sends deltas.
    private let usesDeltas: Bool
    /// A Boolean value that says whether the peer takes deltas, as its last reply that said so did.
    private var peerTakesDeltas = false
    /// The versions that this peer itself sent, by document; they aren't announced to it.
    private var echoes: [ExactText: Version] = [:]
    private static let echoLimit = 1_000

    /// The memory for the document ids of the peer's filter, in bytes, which the feed uses until its end.
    let filterByteCount: Int
    /// The memory that the peer makes the feed use, in bytes: for the ids of its filter, and for the list of revisions
    /// that it wants and hasn't replied to, without their bodies.
    var heldByteCount: Int { filterByteCount + sender.heldByteCount }

    init(
        _ request: SubChangesRequest, collection: Int, wireCollection: Int?, limits: SessionLimits, usesDeltas: Bool
    ) {
        self.collection = collection
        self.usesDeltas = usesDeltas
        self.wireCollection = wireCollection
        self.request = request
        self.limits = limits
        filterByteCount = request.documentIDs?.reduce(0) { $0 + $1.utf8.count + 16 } ?? 0
        // A valid `since` is a number that this side announced earlier. Any other value counts as 0: the feed begins
        // with the first change.
        scannedThrough = request.since?.number ?? 0
        activeOnlyThrough = request.isActiveOnly ? .max : 0
        sender = RevisionSender(collection: collection, wireCollection: wireCollection, limits: limits)
    }

    var isBusy: Bool { scanning != nil || !hasReachedEnd || hasMore || !lists.isEmpty || sender.isBusy }

    /// The lists of changes that were sent and have no reply yet.
    var unansweredLists: some Collection<TaskID> { lists.keys }
    /// The revisions that were sent and have no reply yet, with their sizes in bytes.
    var unansweredRevisions: [TaskID: UInt64] { sender.unanswered }

    /// A Boolean value that says whether the subscription isn't continuous, and everything was announced, sent and
    /// replied to.
    var isFinished: Bool { !request.isContinuous && hasAnnouncedEnd && lists.isEmpty && !sender.isBusy }

    /// Looks for further changes after a local document has changed. Does nothing if the subscription isn't continuous.
    mutating func localChanged(_ actions: inout SessionActions) {
        guard request.isContinuous else { return }
        hasMore = true
        proceed(&actions)
    }

    /// Records a revision that this peer sent, so that it isn't announced to it.
    mutating func ignore(_ revision: SyncedRevision) {
        // If the record is full, it is emptied. The revisions that were in it are then announced to the peer, which
        // replies that it doesn't want them.
        if echoes.count >= Self.echoLimit { echoes = [:] }
        echoes[ExactText(revision.documentID)] = revision.version
        assert(echoes.count <= Self.echoLimit)
    }

    /// Sends wanted revisions and looks for further changes to announce, as far as the limits on unanswered messages
    /// allow.
    mutating func proceed(_ actions: inout SessionActions) {
        sender.proceed(&actions)
        let listLimit = hasReachedEnd ? 1 : limits.listsInFlight
        countLists(&actions)
        guard scanning == nil, !hasReachedEnd || hasMore, lists.count < listLimit,
            sender.queuedCount < limits.queuedRevisions, actions.lists.admits(collection)
        else { return }
        hasMore = false
        let scan = ChangeScan(
            after: scannedThrough, limit: limits.changesPerList, documentIDs: request.documentIDs,
            activeOnlyThrough: activeOnlyThrough, isForPush: false)
        scanning = actions.store(.scan(scan), collection: collection)
        countLists(&actions)
    }

    /// Counts the lists without a reply, and the one that is looked for, in the window that the collections of the
    /// connection share.
    private func countLists(_ actions: inout SessionActions) {
        let count = lists.count + (scanning == nil ? 0 : 1)
        actions.lists.setShare(of: collection, to: SharedWindow.Amount(count: count))
    }

    /// Ends the feed, whose subscription is cancelled: it has no share in the windows any more.
    func cancel(_ actions: inout SessionActions) {
        actions.lists.setShare(of: collection, to: SharedWindow.Amount())
        actions.revisions.setShare(of: collection, to: SharedWindow.Amount())
    }

    /// Processes the result of a requested task, and returns its consequences for the session.
    mutating func finished(_ task: TaskID, _ result: TaskResult, _ actions: inout SessionActions) -> [Event] {
        var events: [Event] = []
        if task == scanning {
            scanning = nil
            scanned(result, &events, &actions)
        } else if let changes = lists.removeValue(forKey: task) {
            answered(changes, result)
        } else {
            for outcome in sender.finished(task, result, &actions) {
                switch outcome {
                case .failed(let failure): events.append(.failed(SessionError(failure)))
                case .refused: events.append(.refused)
                case .accepted, .gone: break
                }
            }
        }
        proceed(&actions)
        return events
    }

    private mutating func scanned(_ result: TaskResult, _ events: inout [Event], _ actions: inout SessionActions) {
        guard case .store(.changes(let page)) = result else {
            if case .store(.failed(let failure)) = result { events.append(.failed(SessionError(failure))) }
            return
        }
        scannedThrough = max(scannedThrough, page.scannedThrough)
        activeOnlyThrough = min(activeOnlyThrough, page.activeOnlyThrough)
        hasReachedEnd = page.isEnd
        let changes = page.changes.filter { change in
            let isEcho = echoes[change.key] == change.version
            // If the document changes to another revision and later back to the peer's, the second change must be
            // announced, so the record of the peer's revision is removed now.
            if !isEcho { echoes[change.key] = nil }
            return !isEcho
        }
        if !changes.isEmpty {
            let rows = changes.map { change in
                ChangesRequest.Row(
                    sequence: RemoteSequence(change.sequence), documentID: change.documentID,
                    version: change.version, flags: change.isDeleted ? .deleted : [],
                    bodyByteCount: change.bodyByteCount)
            }
            lists[actions.send(ChangesRequest(rows: rows, collection: wireCollection).message)] = changes
        }
        if page.isEnd, !hasAnnouncedEnd {
            assert(hasReachedEnd, "the end is announced after all changes")
            hasAnnouncedEnd = true
            actions.perform(.sendOnly(ChangesRequest(rows: [], collection: wireCollection).message))
        }
    }

    /// Processes the reply to a list. As in Couchbase Lite, an invalid reply means that no row is wanted.
    private mutating func answered(_ changes: [LocalChange], _ result: TaskResult) {
        guard case .reply(let reply) = result, reply.error == nil,
            let answer = try? ChangesReply(reply, limits: limits.messages)
        else { return }
        peerTakesDeltas = answer.takesDeltas ?? peerTakesDeltas
        for (change, item) in zip(changes, answer.items) {
            guard case .send(let ancestors) = item else { continue }
            sender.append(
                RevisionSender.Item(
                    change: change, knownAncestors: ancestors, maxHistory: answer.maxHistory ?? limits.maxHistory,
                    listsAttachments: !answer.understandsBlobs, allowsReplacement: request.wantsReplacements,
                    takesDelta: usesDeltas && peerTakesDeltas, isConflictRefused: false))
        }
    }

    /// Removes and returns what was counted of deltas since the last call.
    mutating func takeDeltaCounts() -> DeltaCounts { sender.takeDeltaCounts() }
}

/// The lists of changes and the revisions that were sent to a peer for subscriptions that it has cancelled since, and
/// that it hasn't replied to yet.
///
/// They use memory until the peer has replied. If `isFull(_:)` is true, a further subscription is refused, so that a
/// peer can't exhaust the memory by subscribing and unsubscribing in a loop without replying.
struct CancelledFeeds: Sendable {
    /// The number of unanswered lists above which a further subscription is refused.
    static let listLimit = 64

    private var lists: Set<TaskID> = []
    private var revisions: [TaskID: UInt64] = [:]
    private var revisionByteCount: UInt64 = 0

    /// Returns whether no further subscription may begin until the peer has replied to earlier lists and revisions.
    func isFull(_ limits: SessionLimits) -> Bool {
        lists.count > Self.listLimit || revisions.count > limits.unansweredRevisions
            || revisionByteCount > limits.unansweredByteCount
    }

    /// Adds the unanswered lists and revisions of a feed whose subscription was cancelled.
    mutating func add(_ feed: ChangesFeed) {
        lists.formUnion(feed.unansweredLists)
        for (task, byteCount) in feed.unansweredRevisions {
            assert(revisions[task] == nil, "a feed is cancelled once")
            revisions[task] = byteCount
            revisionByteCount += byteCount
        }
    }

    /// Removes a list or revision whose reply has arrived; returns false if it belongs to no cancelled subscription.
    mutating func take(_ task: TaskID) -> Bool {
        if let byteCount = revisions.removeValue(forKey: task) {
            revisionByteCount -= byteCount
            assert(!revisions.isEmpty || revisionByteCount == 0, "each byte is counted once")
            return true
        }
        return lists.remove(task) != nil
    }
}
