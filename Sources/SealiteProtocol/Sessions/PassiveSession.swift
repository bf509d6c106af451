internal import SealiteRevisions

/// The session of the side that accepted the connection. It serves its collections to one peer, which determines what
/// is replicated and when.
///
/// A value without I/O, used in the same way as `ActiveSession`. It serves peers that begin with `getCollections`, and
/// peers that never name a collection and use the default one.
package struct PassiveSession: ReplicationSession {
    /// The collections that are served, and their limits.
    package struct Configuration: Sendable, Hashable {
        /// The names of the collections that are served: `scope.collection`, or `collection` in the default scope.
        var collections: [String]
        /// A Boolean value that says whether peers may not change anything.
        var isReadOnly = false
        /// A Boolean value that says whether revisions are sent and taken as deltas, if the peer does so too.
        var usesDeltas = true
        /// A Boolean value that says whether the database has version vectors, rather than revision trees.
        var hasVectors = false
        var limits = SessionLimits()

        package init(
            collections: [String], isReadOnly: Bool = false, usesDeltas: Bool = true, hasVectors: Bool = false,
            limits: SessionLimits = SessionLimits()
        ) {
            self.collections = collections
            self.usesDeltas = usesDeltas
            self.hasVectors = hasVectors
            self.isReadOnly = isReadOnly
            self.limits = limits
        }
    }

    /// The way in which the peer refers to collections, which its first request that concerns one determines.
    enum Mode: Sendable, Hashable {
        case undecided
        /// The peer never names collections: its requests concern the default one, which has this index in the
        /// configuration.
        case legacy(Int)
        /// The peer refers to a collection by its position in this list, which contains the collection's index in the
        /// configuration; nil if it doesn't exist.
        case named([Int?])
    }

    /// A `getCollections` request whose reply waits for checkpoints to be loaded.
    struct Negotiation: Sendable {
        let request: BLIPRequest
        var items: [GetCollectionsReply.Item]
        var names: [String]?
        var missing: [TaskID: Int] = [:]
    }

    enum Task: Sendable {
        case getCheckpoint(BLIPRequest, collection: Int)
        case setCheckpoint(BLIPRequest)
        case decide(BLIPRequest, collection: Int, isConflictIncluded: Bool)
    }

    let configuration: Configuration
    var limits: MessageLimits { configuration.limits.messages }
    var mode = Mode.undecided
    var negotiation: Negotiation?
    var tasks: [TaskID: Task] = [:]
    private var feeds: [Int: ChangesFeed] = [:]
    private var dropped = CancelledFeeds()
    var receivers: [Int: RevisionReceiver] = [:]
    /// By collection: the local sequence through which the peer had pulled before this session, as its checkpoint shows;
    /// lower if the peer has pulled from an earlier sequence since, or has reset its checkpoint.
    private var pulledThrough: [Int: UInt64] = [:]
    /// The number of bytes of revisions that wait for attachments, in all collections, above which further revisions
    /// are refused.
    private var attachmentWaitLimit: Int
    private var totals = PartTotals()
    var actions: SessionActions
    private(set) var isEnded = false
    private var outcomes = OutcomeCounts()

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        attachmentWaitLimit = configuration.limits.heldByteCount
        actions = SessionActions(configuration.limits)
    }

    package var status: SessionStatus { SessionStatus(activity: isBusy ? .busy : .idle, outcomes: outcomes) }
    package var received: ReceivedByteCounts {
        var all = totals.received
        all.uncounted += actions.offers.heldByteCount
        return all
    }
    package static var dropsWorkOfEndedConnections: Bool { true }

    /// The time at which to call `wake(at:)` unless another event occurs first; nil if no such call is needed.
    package var deadline: Moment? { totals.deadline }

    /// A Boolean value that says whether work is in progress.
    var isBusy: Bool { !tasks.isEmpty || negotiation != nil || totals.busyCount > 0 }

    package mutating func limitAttachmentWait(to byteCount: Int) { attachmentWaitLimit = byteCount }

    // MARK: - What happens

    /// Does nothing: a passive side waits for requests.
    package mutating func start(at now: Now) -> [SessionAction] { [] }

    /// Does nothing: the request was too large, and has been refused already.
    package mutating func reject(_ request: BLIPRequest, _ error: BLIPError, at now: Now) -> [SessionAction] { [] }

    /// Ends the session. The peer keeps acknowledged revisions, and the close code makes it retry later: Couchbase Lite
    /// takes 1001 (going away) as final, and its continuous replicators would stop permanently.
    package mutating func stop(at now: Now) -> [SessionAction] {
        guard !isEnded else { return [] }
        isEnded = true
        return [.close(code: 4_001, nil)]
    }

    /// Called when the connection is lost.
    package mutating func disconnected() -> [SessionAction] {
        isEnded = true
        return []
    }

    /// Called with a request of the peer.
    package mutating func receive(_ request: BLIPRequest, at now: Now) -> [SessionAction] {
        guard !isEnded else { return [] }
        do throws(BLIPErrorReply) {
            try dispatch(request, at: now)
        } catch {
            actions.refuse(request, error)
        }
        return settle()
    }

    /// Called with the result of a requested task.
    package mutating func finish(_ task: TaskID, _ result: TaskResult, at now: Now) -> [SessionAction] {
        guard !isEnded, let owner = actions.takeOwner(of: task) else { return [] }
        actions.owner = owner
        switch owner {
        case .feed where dropped.take(task): break
        case .feed(let index):
            let events = feeds[index]?.finished(task, result, &actions) ?? []
            count(feeds[index]?.takeDeltaCounts())
            for event in events {
                switch event {
                case .failed(let error): fail(error)
                case .refused: outcomes.refusedByPuller += 1
                }
            }
            if feeds[index]?.isFinished == true { feeds[index] = nil }
        case .receiver(let index):
            shareAttachmentWait(with: index)
            for outcome in receivers[index]?.finished(task, result, &actions) ?? [] { ended(outcome, index) }
            count(receivers[index]?.takeDeltaCounts())
        default: finished(task, result)
        }
        return settle()
    }

    /// Called when the reply to a request was too large to be received. Without the reply to a list, it is unknown
    /// which revisions the peer expects, so the session ends, and the peer may reconnect.
    package mutating func rejectReply(to task: TaskID, _ error: BLIPError, at now: Now) -> [SessionAction] {
        guard !isEnded, actions.takeOwner(of: task) != nil else { return [] }
        isEnded = true
        return [
            .close(
                code: 4_001,
                SessionError(.http(503), "a reply of the peer can't be received: \(error.reason)"))
        ]
    }

    /// Called at the time that `deadline` named.
    package mutating func wake(at now: Now) -> [SessionAction] {
        guard !isEnded else { return [] }
        for index in totals.due(at: now.moment) {
            actions.owner = .receiver(index)
            receivers[index]?.wake(at: now.moment, &actions)
        }
        return settle()
    }

    /// Called when a local document has changed.
    package mutating func localChanged(collection index: Int, at now: Now) -> [SessionAction] {
        guard !isEnded else { return [] }
        actions.owner = .feed(index)
        feeds[index]?.localChanged(&actions)
        return settle()
    }

    /// Runs after each step: lets subscriptions go on that wait for their turn in a window, as long as it has room, and
    /// returns the actions of the step.
    private mutating func settle() -> [SessionAction] {
        while !isEnded, let index = actions.revisions.beginTurn() {
            actions.owner = .feed(index)
            feeds[index]?.proceed(&actions)
            actions.revisions.endTurn()
        }
        while !isEnded, let index = actions.lists.beginTurn() {
            actions.owner = .feed(index)
            feeds[index]?.proceed(&actions)
            actions.lists.endTurn()
        }
        for index in actions.takeTouched() { totals.update(index, share(of: index)) }
        return actions.takeActions()
    }

    private func share(of index: Int) -> PartTotals.Share {
        var share = PartTotals.Share()
        if let feed = feeds[index] {
            share.isBusy = feed.isBusy
            share.received.uncounted = feed.heldByteCount
            share.filterByteCount = feed.filterByteCount
        }
        if let receiver = receivers[index] {
            share.isBusy = share.isBusy || receiver.isBusy
            share.received += receiver.bytes
            share.waitingByteCount = receiver.heldByteCount
            share.deadline = receiver.deadline
        }
        return share
    }

    // MARK: - Requests

    private mutating func dispatch(_ request: BLIPRequest, at now: Now) throws(BLIPErrorReply) {
        guard let profile = request.profile.flatMap(Profile.init) else { throw .noHandler }
        do throws(MessageError) {
            switch profile {
            case .ping: actions.reply(to: request)
            case .getCollections: try getCollections(request)
            case .getCheckpoint, .setCheckpoint: try checkpoint(request, profile)
            default:
                let (index, wire) = try collection(of: request)
                try dispatch(request, profile, index, wire, at: now)
            }
        } catch {
            throw error.reply
        }
    }

    private mutating func dispatch(
        _ request: BLIPRequest, _ profile: Profile, _ index: Int, _ wire: Int?, at now: Now
    ) throws(MessageError) {
        if configuration.isReadOnly, profile == .proposeChanges || profile == .changes || profile == .rev {
            actions.refuse(
                request, BLIPErrorReply(code: 403, message: "Attempting to push to a pull-only replicator"))
            return
        }
        switch profile {
        case .subChanges: try subscribe(request, index, wire)
        case .unsubChanges:
            actions.owner = .feed(index)
            if let feed = feeds.removeValue(forKey: index) {
                dropped.add(feed)
                feed.cancel(&actions)
            }
            actions.reply(to: request)
        case .proposeChanges: try propose(request, index)
        case .changes: actions.refuse(request, BLIPErrorReply(code: 409, message: "Use 'proposeChanges' instead"))
        case .rev: try revision(request, index, wire, at: now)
        case .norev: actions.reply(to: request)
        case .getAttachment, .proveAttachment: try actions.serve(request, collection: index)
        case .getCollections, .getCheckpoint, .setCheckpoint, .ping: break
        }
    }

    private mutating func subscribe(_ request: BLIPRequest, _ index: Int, _ wire: Int?) throws(MessageError) {
        let message = try SubChangesRequest(request, limits: limits)
        var feed = ChangesFeed(
            message, collection: index, wireCollection: wire, limits: configuration.limits,
            usesDeltas: configuration.usesDeltas)
        let filterByteCount = totals.filterByteCount + feed.filterByteCount
        if message.filter != nil {
            actions.refuse(
                request, BLIPErrorReply(domain: "LiteCore", code: 19, message: "Filtering not supported"))
        } else if message.versioning ?? SubChangesRequest.versioning(hasVectors: false)
            != SubChangesRequest.versioning(hasVectors: configuration.hasVectors)
        {
            actions.refuse(
                request, BLIPErrorReply(domain: "LiteCore", code: 501, message: "Incompatible document versioning."))
        } else if feeds[index] != nil {
            actions.refuse(
                request, BLIPErrorReply(code: 500, message: "the collection already has an outstanding subChanges"))
        } else if dropped.isFull(configuration.limits) {
            actions.refuse(
                request,
                BLIPErrorReply(
                    code: 503,
                    message: "too many messages of cancelled subscriptions are unanswered; reply to them first"))
        } else if filterByteCount > configuration.limits.filterByteCount {
            let limit = configuration.limits.filterByteCount
            actions.refuse(
                request,
                BLIPErrorReply(
                    code: 413,
                    message: "the document IDs of the connection's subscriptions together exceed \(limit) bytes"))
        } else {
            actions.reply(to: request)
            noteProgress(message.since?.number, index)
            actions.owner = .feed(index)
            feed.proceed(&actions)
            feeds[index] = feed
        }
    }

    private mutating func propose(_ request: BLIPRequest, _ index: Int) throws(MessageError) {
        let message = try ProposeChangesRequest(request, limits: limits)
        guard !message.rows.isEmpty else {
            actions.reply(to: request)
            return
        }
        actions.owner = .session
        assert(!configuration.isReadOnly, "a peer that only reads proposes nothing")
        let decision = StoreRequest.decide(message.rows, pulledThrough: pulledThrough[index] ?? 0)
        let task = actions.store(decision, collection: index)
        tasks[task] = .decide(
            request.withoutBody, collection: index, isConflictIncluded: message.wantsConflictingRevision)
    }

    private mutating func revision(
        _ request: BLIPRequest, _ index: Int, _ wire: Int?, at now: Now
    ) throws(MessageError) {
        var message = try RevisionRequest(request, limits: limits)
        // The active side resolves conflicts.
        message.isConflictRefused = true
        guard message.errorText == nil else {
            actions.reply(to: request)
            return
        }
        let history = try message.treeHistory(limits: limits)
        actions.owner = .receiver(index)
        if receivers[index] == nil {
            receivers[index] = RevisionReceiver(
                collection: index, wireCollection: wire, limits: configuration.limits,
                usesDeltas: configuration.usesDeltas)
        }
        shareAttachmentWait(with: index)
        if let refusal = receivers[index]?.refusal {
            actions.refuse(request, refusal)
            return
        }
        assert(!configuration.isReadOnly, "a peer that only reads sends nothing")
        var item = RevisionReceiver.Item(request, message, history: history)
        item.revision.pulledThrough = pulledThrough[index] ?? 0
        receivers[index]?.receive(item, at: now.moment, &actions)
        count(receivers[index]?.takeDeltaCounts())
    }

    /// Records that the peer has pulled a collection's changes through a sequence, nil for none, unless it is known to
    /// have pulled fewer: what it pulls in this session crosses what it sends, and proves nothing.
    private mutating func noteProgress(_ sequence: UInt64?, _ index: Int) {
        assert(configuration.collections.indices.contains(index))
        pulledThrough[index] = min(pulledThrough[index] ?? .max, sequence ?? 0)
    }

    mutating func noteProgress(checkpoint body: [UInt8]?, _ index: Int) {
        let checkpoint = body.flatMap { Checkpoint(copy: $0, limits: limits) }
        noteProgress(checkpoint?.remote?.number, index)
    }

    /// Sets the number of bytes of revisions that a receiver may hold while they wait for attachments, depending on the
    /// other receivers of the session.
    private mutating func shareAttachmentWait(with index: Int) {
        let others = totals.waitingByteCount - totals[index].waitingByteCount
        assert(others >= 0, "each part counts once")
        receivers[index]?.attachmentWaitLimit = attachmentWaitLimit - others
    }

    private mutating func ended(_ outcome: RevisionReceiver.Outcome, _ index: Int) {
        switch outcome {
        case .failed(let item, let error): report(item.revision, index, error)
        case .wantedWhole: break
        case .stored(let item, let result):
            let revision = item.revision
            switch result {
            case .inserted, .conflict:
                feeds[index]?.ignore(
                    SyncedRevision(documentID: revision.documentID, version: revision.version))
                report(revision, index, nil)
            // The local tombstone may already have been sent to the peer and replace the revision there, so the peer is
            // sent its own revision again.
            case .resurrected: report(revision, index, nil)
            case .refused, .aheadOfClock: report(revision, index, SessionError(result))
            case .conflictRefused:
                report(revision, index, SessionError(.conflict, "the peer's revision conflicts with the local one"))
            default: break
            }
        }
    }

    private mutating func count(_ deltas: DeltaCounts?) {
        if let deltas { outcomes.deltas = outcomes.deltas + deltas }
    }

    private mutating func report(_ revision: IncomingRevision, _ index: Int, _ error: SessionError?) {
        assert(configuration.collections.indices.contains(index))
        actions.report(
            DocumentEvent(
                collection: index, documentID: revision.documentID, isPush: false, isDeleted: revision.isDeleted,
                error: error))
    }

    private mutating func fail(_ error: SessionError) {
        guard !isEnded else { return }
        isEnded = true
        actions.perform(.close(code: 1_011, error))
    }
}
