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
            collection: collection, wireCollection: wireCollection, limits: configuration.limits)
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
        var events: [Event] = []
        if task == subscribing, case .reply(let reply) = result {
            subscribing = nil
            if let error = reply.error { events.append(.failed(SessionError(error, during: "subChanges"))) }
        } else if let list = comparing.removeValue(forKey: task) {
            compared(list, result, &events, &actions)
        } else if let removing, removing.task == task {
            removed(removing.list, result, &events, &actions)
        } else if refusals.owns(task) {
            recorded(refusals.finished(task, result), &events)
        } else {
            for outcome in receiver.finished(task, result, &actions) { ended(outcome, &events, &actions) }
        }
        return events + proceed(&actions)
    }

    mutating func finish(_ entry: RemoteSequenceSet.Entry, _ events: inout [Event]) {
        if sequences.finish(entry) { events.append(.advanced(sequences.checkpoint)) }
    }
}
