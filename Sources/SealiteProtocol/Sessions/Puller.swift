internal import SealiteJSON
internal import SealiteRevisions

/// Pulls one collection for the active side: subscribes to the peer's changes, selects the revisions it wants, receives
/// them, and tracks finished sequences.
struct Puller: Sendable {
    /// A consequence of a step, for the session.
    enum Event: Sendable, Equatable {
        /// Everything up to this remote sequence is pulled.
        case advanced(RemoteSequence?)
        /// The peer's current version of a document became known.
        case learned(documentID: String, Version)
        /// A conflict of a document is stored, and was reported to the application; the push must not report it again.
        case conflicted(documentID: String)
        /// The session ends with this error.
        case failed(SessionError)
    }

    /// A list of announced changes, called rows, that the database is comparing with its documents.
    struct Comparing: Sendable {
        let request: BLIPRequest
        let rows: [ChangesRequest.Row]
        let entries: [RemoteSequenceSet.Entry]
        /// The documents of the list of which a revision was requested but not yet stored when the comparison began. The
        /// database's decisions don't take these revisions into account.
        let awaited: Set<ExactText>
        let documentIDs: Set<ExactText>
    }

    let collection: Int
    let wireCollection: Int?
    let configuration: SessionConfiguration
    let limits: SessionLimits
    var receiver: RevisionReceiver
    var progress = TransferProgress()
    /// The consequences of the step so far.
    var events: [Event] = []
    var sequences = RemoteSequenceSet(since: nil)
    var subscribing: TaskID?
    var isCaughtUp = false
    var waitingLists: [(BLIPRequest, [ChangesRequest.Row])] = []
    var comparing: [TaskID: Comparing] = [:]
    /// The list whose documents with lost access are being purged. Its remaining rows and later lists wait, since a
    /// comparison would still find the documents that are about to be purged.
    var removing: (task: TaskID, list: Comparing)?
    var requested = RequestedRevisions()
    /// The ids of the documents to pull; nil for all. Announcements of other documents are ignored: in a continuous
    /// subscription the peer doesn't filter by id.
    let documentFilter: Set<ExactText>?
    let isAutoPurging: Bool
    /// A Boolean value that says whether the peer may have lost documents, so that all are offered to it again.
    private(set) var isAfterLoss = false
    /// The revisions of the peer that couldn't be stored, in this session or earlier ones. Their sequences wait until
    /// the refusals are durable.
    var refusals: RefusalLog<[RemoteSequenceSet.Entry]>
    /// In a session that asks again for documents, those that the peer hasn't announced yet; otherwise empty.
    var unannounced: Set<ExactText> = []

    init(_ configuration: SessionConfiguration, collection: Int, isLegacy: Bool) {
        self.collection = collection
        assert(configuration.collections[collection].isPull, "the collection is pulled")
        assert(!isLegacy || collection == 0, "a peer without names has the default collection only")
        wireCollection = isLegacy ? nil : collection
        self.configuration = configuration
        limits = configuration.limits
        let own = configuration.collections[collection]
        let documentIDs = own.documentIDs
        documentFilter = documentIDs.map { Set($0.map(ExactText.init)) }
        // A list of documents doesn't show which other documents the user may access.
        isAutoPurging = configuration.isAutoPurging && documentIDs == nil
        receiver = RevisionReceiver(
            collection: collection, wireCollection: wireCollection, limits: configuration.limits,
            usesDeltas: configuration.usesDeltas)
        refusals = RefusalLog(collection: collection, by: .local)
        refusals.remember(own.unstoredIDs.map(ExactText.init))
        if own.isSecondAttempt, let documentFilter { unannounced = documentFilter }
    }

    /// A Boolean value that says whether work is in progress, or the peer hasn't yet announced all of its changes.
    var isBusy: Bool {
        !isCaughtUp || subscribing != nil || !waitingLists.isEmpty || !comparing.isEmpty || removing != nil
            || !requested.isEmpty || receiver.isBusy || refusals.isBusy
    }

    var deadline: Moment? { receiver.deadline }

    /// Subscribes to the peer's changes after the sequence up to which everything is pulled.
    mutating func begin(_ checkpoint: Checkpoint, _ actions: inout SessionActions) {
        assert(subscribing == nil, "a pull begins once")
        let own = configuration.collections[collection]
        sequences = RemoteSequenceSet(since: checkpoint.remote)
        isAfterLoss = checkpoint.reofferedThrough != nil
        var request = SubChangesRequest(since: checkpoint.remote, collection: wireCollection)
        // Sync Gateway refuses a list of documents in a continuous subscription; therefore the documents are filtered
        // when they are received.
        request.isContinuous = configuration.isContinuous
        request.batch = limits.changesPerList
        request.isActiveOnly = own.isEmpty && checkpoint.remote == nil && !own.isSecondAttempt
        request.channels = own.channels
        // Requests revocations even if auto-purge is off: the application is notified of them.
        request.wantsRevocations = own.documentIDs == nil
        request.wantsReplacements = true
        request.versioning = SubChangesRequest.versioning(hasVectors: configuration.hasVectors)
        request.documentIDs = configuration.isContinuous ? nil : own.documentIDs
        subscribing = actions.send(request.message)
    }

    mutating func wake(at now: Moment, _ actions: inout SessionActions) { receiver.wake(at: now, &actions) }

    /// Processes the result of a requested task, and returns its consequences for the session.
    mutating func finished(_ task: TaskID, _ result: TaskResult, _ actions: inout SessionActions) -> [Event] {
        if task == subscribing, case .reply(let reply) = result {
            subscribing = nil
            if let error = reply.error { events.append(.failed(SessionError(error, during: "subChanges"))) }
        } else if let list = comparing.removeValue(forKey: task) {
            compared(list, result, &actions)
        } else if let removing, removing.task == task {
            removed(removing.list, result, &actions)
        } else if refusals.owns(task) {
            recorded(refusals.finished(task, result))
        } else {
            for outcome in receiver.finished(task, result, &actions) { ended(outcome, &actions) }
            progress.outcomes.deltas = progress.outcomes.deltas + receiver.takeDeltaCounts()
        }
        return proceed(&actions)
    }

    /// Removes and returns the consequences of the step.
    mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    mutating func finish(_ entry: RemoteSequenceSet.Entry) {
        if sequences.finish(entry) { events.append(.advanced(sequences.checkpoint)) }
    }
}

/// The revisions that were requested from the peer and aren't stored yet, by document and in the order of their
/// announcements.
///
/// The last announcement of a document names its newest state, which must be stored last. A revision is therefore held
/// back while an earlier requested one of its document is on its way or waits for attachments.
///
/// A peer's revision is taken only if `expects(_:_:)` returns true for it: whatever selects the documents of a
/// replication selects what is requested.
struct RequestedRevisions: Sendable {
    /// A requested revision. The document and the sequence of the announcement identify it; they stay the same when
    /// another revision replaces the announced one.
    struct Request: Sendable {
        let sequence: RemoteSequence
        let entry: RemoteSequenceSet.Entry
        let version: Version
        let byteCount: UInt64
        /// The revision, if it has been received and is held back.
        var held: RevisionReceiver.Item?
    }

    private var requests: [ExactText: [Request]] = [:]
    private var released: [RevisionReceiver.Item] = []
    /// The requests that have ended because this side refused the revision, which the peer may send once more.
    private var refused: Set<RefusedRequest> = []
    private(set) var count = 0
    /// The maximum number of refused requests that are remembered. If there are more, they are forgotten, and the
    /// documents are asked for again in a later session.
    static let refusedLimit = 2_000

    private struct RefusedRequest: Hashable {
        let document: ExactText
        let sequence: RemoteSequence
    }

    var isEmpty: Bool { requests.isEmpty }

    /// Returns whether a revision of a document is requested and not yet stored.
    func contains(_ document: ExactText) -> Bool { requests[document] != nil }

    /// Returns whether the peer may send a revision of a document under a sequence: it was requested and isn't stored yet,
    /// or this side has refused it in this session. Without a sequence, whether any revision of the document was
    /// requested.
    func expects(_ document: ExactText, _ sequence: RemoteSequence?) -> Bool {
        guard let sequence else { return contains(document) }
        return requests[document]?.contains { $0.sequence == sequence } ?? false
            || refused.contains(RefusedRequest(document: document, sequence: sequence))
    }

    /// Records that this side has refused the revision of a request.
    mutating func refuse(_ document: ExactText, _ sequence: RemoteSequence) {
        if refused.count >= Self.refusedLimit { refused = [] }
        refused.insert(RefusedRequest(document: document, sequence: sequence))
        assert(refused.count <= Self.refusedLimit)
    }

    /// Adds a request, which must be the last announced one of its document.
    mutating func add(_ request: Request, of document: ExactText) {
        assert(request.held == nil, "a request begins without its revision")
        requests[document, default: []].append(request)
        count += 1
    }

    /// Removes and returns the requests of a document for which `isEnded` returns true, and releases the revisions that
    /// were held back for them.
    mutating func remove(of document: ExactText, where isEnded: (Request) -> Bool) -> [Request] {
        guard var remaining = requests[document] else { return [] }
        let ended = remaining.filter(isEnded)
        remaining.removeAll(where: isEnded)
        count -= ended.count
        assert(count >= 0, "each request counts once")
        // A peer that ends a request whose revision it has sent contradicts itself; the revision is still answered.
        released += ended.compactMap(\.held)
        if let item = remaining.first?.held {
            remaining[0].held = nil
            released.append(item)
        }
        requests[document] = remaining.isEmpty ? nil : remaining
        return ended
    }

    /// Holds a received revision back if an earlier requested one of its document hasn't ended, and returns whether it
    /// does so. A revision that the peer sends once more isn't held back.
    mutating func hold(_ item: RevisionReceiver.Item) -> Bool {
        let document = ExactText(item.revision.documentID)
        guard let index = requests[document]?.firstIndex(where: { $0.sequence == item.sequence }), index > 0,
            requests[document]?[index].held == nil
        else { return false }
        assert(item.sequence != nil, "a revision is held back for its sequence")
        requests[document]?[index].held = item
        return true
    }

    /// Removes and returns the revisions that are held back no longer, in the order of their announcements.
    mutating func takeReleased() -> [RevisionReceiver.Item] {
        defer { released = [] }
        return released
    }
}

/// The announced remote sequences in the order of their arrival, until they are finished.
///
/// A replication checkpoint may name only a sequence up to which all announced ones are finished.
struct RemoteSequenceSet: Sendable {
    /// Identifies an announced sequence by its position in the order of arrival.
    struct Entry: Hashable, Sendable {
        fileprivate let index: Int
    }

    /// The last sequence before the first unfinished one, after which a later session begins; nil if there is none.
    private(set) var checkpoint: RemoteSequence?
    private var sequences: [RemoteSequence] = []
    private var isFinished: [Bool] = []
    private var head = 0
    /// The number of finished entries that were removed from the beginning of `sequences`.
    private var base = 0
    private(set) var unfinishedCount = 0

    init(since checkpoint: RemoteSequence?) { self.checkpoint = checkpoint }

    /// Adds a sequence that was announced, and returns the entry by which to finish it.
    mutating func add(_ sequence: RemoteSequence) -> Entry {
        assert(sequences.count == isFinished.count)
        sequences.append(sequence)
        isFinished.append(false)
        unfinishedCount += 1
        return Entry(index: base + sequences.count - 1)
    }

    /// Finishes a sequence, and returns whether the checkpoint moved. Does nothing if the sequence is finished already.
    mutating func finish(_ entry: Entry) -> Bool {
        let index = entry.index - base
        guard isFinished.indices.contains(index), index >= head, !isFinished[index] else { return false }
        isFinished[index] = true
        unfinishedCount -= 1
        assert(unfinishedCount >= 0, "a sequence is finished once")
        let before = head
        while head < sequences.count, isFinished[head] {
            checkpoint = sequences[head]
            head += 1
        }
        assert(head <= sequences.count && (head == sequences.count || !isFinished[head]))
        let hasMoved = head > before
        compact()
        return hasMoved
    }

    private mutating func compact() {
        guard head > 1_024, head * 2 > sequences.count else { return }
        sequences.removeSubrange(..<head)
        isFinished.removeSubrange(..<head)
        base += head
        head = 0
    }
}
