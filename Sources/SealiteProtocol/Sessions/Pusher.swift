internal import SealiteJSON
internal import SealiteRevisions

/// Pushes one collection for the active side: finds local changes, proposes them to the peer, sends the wanted ones,
/// and records completed sequences.
struct Pusher: Sendable {
    /// A consequence of a step, for the session.
    enum Event: Sendable, Equatable {
        /// These local sequences need no more work, except those that a later event `pending` names.
        case completed(Range<UInt64>)
        /// This local sequence needs work, although an earlier event may have said that it is completed.
        case pending(UInt64)
        /// More refusals occurred than can be stored: the next session offers everything up to this sequence again.
        case overflowed(UInt64)
        /// The session ends with this error.
        case failed(SessionError)
    }

    /// A document of which a revision is being proposed or sent.
    struct Work: Sendable {
        var change: LocalChange
        /// A newer revision, which is proposed after this one ends; nil if there is none.
        var successor: LocalChange?
        var reproposalCount = 0
    }

    let collection: Int
    let wireCollection: Int?
    let configuration: SessionConfiguration.Collection
    let limits: SessionLimits
    var sender: RevisionSender
    /// The documents of which a revision is being proposed or sent.
    var work: [ExactText: Work] = [:]
    var proposals: [TaskID: [LocalChange]] = [:]
    var reconsidering: [TaskID: LocalChange] = [:]
    /// The changes that the peer has accepted, and that are to be proposed once more to find out whether it has them.
    var unverified: [LocalChange] = []
    var verifying: [TaskID: [LocalChange]] = [:]
    /// The changes that the peer refused as conflicts, until the pull brings the peer's revision of the document.
    var conflicts: [ExactText: LocalChange] = [:]
    /// The documents whose conflict the pull has reported already, so that the peer's refusal of the local revision
    /// isn't reported again.
    private var pulledConflicts: Set<ExactText> = []
    /// The changes that the peer refused with HTTP 403, which are proposed once more when everything else is done.
    var forbidden: [ExactText: LocalChange] = [:]
    /// The documents whose change was refused with HTTP 403 and is to be proposed once more, or has been.
    var hasRetried: Set<ExactText> = []
    var synced: [SyncedRevision] = []
    var marking: TaskID?
    /// The revisions that the peer refused, in this session or earlier ones.
    var refusals: RefusalLog<LocalChange>
    /// The revisions that the peer refused in earlier sessions, which are offered again.
    private var earlier = EarlierRefusals()
    /// A Boolean value that says whether the changes that were refused earlier are offered again.
    private let retriesRefused: Bool
    /// A Boolean value that says whether this side sends deltas.
    let usesDeltas: Bool
    var peer = PeerAbilities()
    /// The error because of which a revision was left to the next session; nil if none was left.
    var leftError: SessionError?
    var progress = TransferProgress()
    /// The consequences of the step so far.
    var events: [Event] = []
    private var scanning: TaskID?
    private var scannedThrough: UInt64 = 0
    private var reofferedThrough: UInt64 = 0
    private var hasReachedEnd = false
    private var hasMore = false
    private var isStarted = false

    init(_ configuration: SessionConfiguration, collection: Int, isLegacy: Bool) {
        self.collection = collection
        assert(configuration.collections[collection].isPush, "the collection is pushed")
        assert(!isLegacy || collection == 0, "a peer without names has the default collection only")
        wireCollection = isLegacy ? nil : collection
        self.configuration = configuration.collections[collection]
        limits = configuration.limits
        refusals = RefusalLog(collection: collection, by: .remote)
        retriesRefused = configuration.retriesRefused
        usesDeltas = configuration.usesDeltas
        sender = RevisionSender(collection: collection, wireCollection: wireCollection, limits: limits)
    }

    /// A Boolean value that says whether work is in progress or hasn't begun. Conflicts that wait for the pull don't
    /// count.
    var isBusy: Bool {
        guard isStarted else { return true }
        return scanning != nil || !hasReachedEnd || hasMore || !proposals.isEmpty || !work.isEmpty || sender.isBusy
            || !reconsidering.isEmpty || marking != nil || !synced.isEmpty || !forbidden.isEmpty || refusals.isBusy
            || earlier.isBusy
    }

    /// Begins to push the changes after the local sequence up to which the checkpoint is complete.
    mutating func begin(_ checkpoint: Checkpoint, _ actions: inout SessionActions) {
        assert(!isStarted, "a push begins once")
        isStarted = true
        scannedThrough = checkpoint.completed.contiguousThrough
        reofferedThrough = checkpoint.reofferedThrough ?? 0
        if retriesRefused { earlier.load(scan(limit: EarlierRefusals.limit), collection: collection, &actions) }
        proceed(&actions)
    }

    private func scan(limit: Int) -> ChangeScan {
        ChangeScan(
            after: scannedThrough, limit: limit, documentIDs: configuration.documentIDs, isForPush: true,
            reofferedThrough: reofferedThrough)
    }

    /// Looks for new local changes.
    mutating func localChanged(_ actions: inout SessionActions) {
        guard isStarted else { return }
        hasMore = true
        proceed(&actions)
    }

    /// Starts the next requests to the database and messages to the peer, as far as the work in progress and the limits
    /// on unanswered messages allow.
    mutating func proceed(_ actions: inout SessionActions) {
        if !synced.isEmpty, marking == nil {
            assert(isStarted, "a push that hasn't begun has nothing to record")
            marking = actions.store(.markSynced(synced), collection: collection)
            synced = []
        }
        refusals.proceed(&actions)
        sender.proceed(&actions)
        // Refused changes are offered first, so that the scan recognises them as being in progress.
        guard !earlier.isLoading else { return }
        retryRefused(&actions)
        verify(&actions)
        countLists(&actions)
        let listLimit = hasReachedEnd ? 1 : limits.listsInFlight
        if scanning == nil, !hasReachedEnd || hasMore, proposals.count < listLimit,
            sender.queuedCount < limits.queuedRevisions, actions.lists.admits(collection)
        {
            hasMore = false
            assert(isStarted && scanning == nil, "one search is under way")
            scanning = actions.store(.scan(scan(limit: limits.changesPerList)), collection: collection)
        }
        retryForbidden(&actions)
        countLists(&actions)
    }

    /// Counts the lists without a reply, and the one that is looked for, in the window that the collections of the
    /// connection share.
    private func countLists(_ actions: inout SessionActions) {
        let count = proposals.count + verifying.count + (scanning == nil ? 0 : 1)
        actions.lists.setShare(of: collection, to: SharedWindow.Amount(count: count))
    }

    /// Processes the result of a requested task, and returns its consequences for the session.
    mutating func finished(
        _ task: TaskID, _ result: TaskResult, completed: SequenceSet, _ actions: inout SessionActions
    ) -> [Event] {
        if task == scanning {
            scanning = nil
            scanned(result, completed, &actions)
        } else if task == marking {
            marking = nil
            marked(result, &actions)
        } else if earlier.owns(task) {
            switch earlier.finished(result, completed) {
            case .success(let documents): refusals.remember(documents)
            case .failure(let failure): events.append(.failed(SessionError(failure)))
            }
        } else if refusals.owns(task) {
            recorded(refusals.finished(task, result))
        } else if let changes = proposals.removeValue(forKey: task) {
            answered(changes, result, &actions)
        } else if let changes = verifying.removeValue(forKey: task) {
            verified(changes, result, &actions)
        } else if let change = reconsidering.removeValue(forKey: task) {
            reconsidered(change, result, &actions)
        } else {
            for outcome in sender.finished(task, result, &actions) { ended(outcome, &actions) }
            progress.outcomes.deltas = progress.outcomes.deltas + sender.takeDeltaCounts()
        }
        proceed(&actions)
        defer { events = [] }
        return events
    }

    private mutating func marked(_ result: TaskResult, _ actions: inout SessionActions) {
        switch result {
        case .store(.failed(let failure)): events.append(.failed(SessionError(failure)))
        case .store(.synced(let conflicting)):
            for documentID in conflicting {
                actions.report(
                    DocumentEvent(
                        collection: collection, documentID: documentID, isPush: false, error: .unresolvedConflict))
            }
        default: break
        }
    }

    private mutating func scanned(_ result: TaskResult, _ completed: SequenceSet, _ actions: inout SessionActions) {
        guard case .store(.changes(let page)) = result else {
            if case .store(.failed(let failure)) = result { events.append(.failed(SessionError(failure))) }
            return
        }
        if page.scannedThrough > scannedThrough {
            events.append(.completed((scannedThrough + 1)..<(page.scannedThrough + 1)))
            scannedThrough = page.scannedThrough
        }
        hasReachedEnd = page.isEnd
        var wanted: [LocalChange] = []
        for change in page.changes where !completed.contains(change.sequence) {
            events.append(.pending(change.sequence))
            progress.add(change.bodyByteCount)
            if var current = work[change.key] {
                if current.change.sequence == change.sequence { continue }
                if let skipped = current.successor { finishSequence(of: skipped) }
                current.successor = change
                work[change.key] = current
            } else {
                // The conflict concerned an older revision of the document, which the change replaces.
                conflicts[change.key] = nil
                pulledConflicts.remove(change.key)
                replaceForbidden(by: change)
                work[change.key] = Work(change: change)
                wanted.append(change)
            }
        }
        propose(wanted, &actions)
    }

    mutating func propose(_ changes: [LocalChange], _ actions: inout SessionActions) {
        guard !changes.isEmpty else { return }
        assert(isStarted)
        proposals[actions.send(proposal(of: changes).message)] = changes
    }

    func proposal(of changes: [LocalChange]) -> ProposeChangesRequest {
        let rows = changes.map { change in
            ProposeChangesRequest.Row(
                documentID: change.documentID, version: change.version,
                serverVersion: change.remoteVersion, bodyByteCount: change.bodyByteCount)
        }
        return ProposeChangesRequest(rows: rows, collection: wireCollection)
    }

    /// Proposes the changes that the peer refused in earlier sessions, as many as the limits on unanswered lists and
    /// queued revisions allow.
    private mutating func retryRefused(_ actions: inout SessionActions) {
        while !earlier.changes.isEmpty, proposals.count < limits.listsInFlight,
            sender.queuedCount < limits.queuedRevisions, actions.lists.admits(collection)
        {
            let changes = earlier.take(limits.changesPerList).filter { work[$0.key] == nil }
            for change in changes {
                progress.add(change.bodyByteCount)
                work[change.key] = Work(change: change)
            }
            propose(changes, &actions)
            countLists(&actions)
        }
    }

    /// Finishes the sequences of refused changes whose refusals are now stored. Those beyond the limit are offered again
    /// with everything else.
    private mutating func recorded(_ outcome: RefusalLog<LocalChange>.Outcome) {
        switch outcome {
        case .failed(let failure): events.append(.failed(SessionError(failure)))
        case .recorded(let stored, let left):
            for change in stored + left { finishSequence(of: change) }
            if let last = left.map(\.sequence).max() { events.append(.overflowed(last)) }
        case .other: break
        }
    }

    private mutating func retryForbidden(_ actions: inout SessionActions) {
        guard !forbidden.isEmpty, scanning == nil, hasReachedEnd, !hasMore, proposals.isEmpty, work.isEmpty else {
            return
        }
        let changes = forbidden.values.sorted { $0.sequence < $1.sequence }
        forbidden = [:]
        for change in changes { work[change.key] = Work(change: change) }
        propose(changes, &actions)
    }

    /// Finishes the change of a document that waits to be proposed once more, because a newer one replaces it.
    private mutating func replaceForbidden(by change: LocalChange) {
        guard let old = forbidden.removeValue(forKey: change.key), old.sequence != change.sequence else { return }
        hasRetried.remove(change.key)
        finishSequence(of: old)
    }

    /// Records that a change needs no more work.
    mutating func finishSequence(of change: LocalChange) {
        progress.complete(change.bodyByteCount)
        events.append(.completed(change.sequence..<(change.sequence + 1)))
    }

    /// Notes that the pull has brought a document's conflict, which the application resolves.
    mutating func conflictPulled(_ documentID: String) {
        let key = ExactText(documentID)
        conflicts[key] = nil
        pulledConflicts.insert(key)
    }

    /// Returns whether the pull has brought the conflict of a change.
    func hasPulledConflict(_ change: LocalChange) -> Bool { pulledConflicts.contains(change.key) }

    mutating func reportConflict(_ change: LocalChange, _ actions: inout SessionActions) {
        report(change, SessionError(.conflict, "the peer has another revision of the document"), &actions)
    }

    func report(_ change: LocalChange, _ error: SessionError?, _ actions: inout SessionActions) {
        actions.report(
            DocumentEvent(
                collection: collection, documentID: change.documentID, isPush: true, isDeleted: change.isDeleted,
                error: error))
    }
}

/// The capabilities that the peer has named in its replies.
struct PeerAbilities: Sendable, Hashable {
    /// The maximum number of revisions that the peer wants in a history; nil if it has named none.
    var maxHistory: Int?
    /// A Boolean value that says whether the peer finds the blobs of a document in its properties, so that bodies need
    /// no `_attachments`.
    var understandsBlobs = false
    /// A Boolean value that says whether the peer takes deltas in place of bodies.
    var takesDeltas = false

    /// A Boolean value that says whether the peer is a Sync Gateway: the only one that doesn't find blobs.
    var isSyncGateway: Bool { !understandsBlobs }
}

// Verifying that the peer has the revisions that it accepted.
//
// A Sync Gateway keeps the version vector of a document that was purged there. It accepts a revision that this vector
// contains, and drops it, but goes on to answer proposals of the revision as if it had no such document. Revisions that
// it had before are sent only if they are offered again after a loss, a reset or a refusal: these are verified.
extension Pusher {
    /// Proposes accepted changes once more: at once if no such list is unanswered, otherwise when a list is full.
    mutating func verify(_ actions: inout SessionActions) {
        while !unverified.isEmpty, verifying.count < limits.listsInFlight,
            verifying.isEmpty || unverified.count >= limits.changesPerList
        {
            let changes = Array(unverified.prefix(limits.changesPerList))
            assert(!changes.isEmpty && changes.count <= limits.changesPerList)
            unverified.removeFirst(changes.count)
            // A Sync Gateway wants a version that it has if the proposal names its tree revision as the one to replace.
            let proposed = changes.map { change in
                var change = change
                change.remoteVersion = nil
                return change
            }
            verifying[actions.send(proposal(of: proposed).message)] = changes
        }
    }

    /// Processes the reply to a list of accepted changes: the peer doesn't have those that it still wants. Any other
    /// answer shows that it has the document, in this revision or a later one.
    mutating func verified(_ changes: [LocalChange], _ result: TaskResult, _ actions: inout SessionActions) {
        guard let answer = answer(to: result) else { return }
        for (index, change) in changes.enumerated() {
            if index < answer.items.count, answer.items[index] != .wanted {
                pushed(change, &actions)
                continue
            }
            let error = SessionError(
                .http(404),
                "the remote accepted the revision and doesn't have it, as a Sync Gateway does with a revision from "
                    + "before the document was purged there; save the document again, so that it gets a new revision")
            refuse(change, error, &actions)
        }
    }
}
