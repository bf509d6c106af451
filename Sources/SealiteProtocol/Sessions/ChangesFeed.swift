internal import SealiteJSON
internal import SealiteRevisions

/// Announces the changes of one collection to the active side that asked for them, and sends what it wants.
struct ChangesFeed: Sendable {
    /// A consequence of a step.
    enum Event: Sendable, Equatable {
        /// The session cannot go on.
        case failed(SessionError)
    }

    let collection: Int
    let wireCollection: Int?
    private let request: SubChangesRequest
    private let limits: SessionLimits
    private var sender: RevisionSender
    private var lists: [TaskID: [LocalChange]] = [:]
    private var scanning: TaskID?
    private var scannedThrough: UInt64
    private var hasReachedEnd = false
    private var hasMore = false
    private var hasAnnouncedEnd = false
    /// Revisions that this peer sent, which need not be announced to it.
    private var echoes: [ExactText: Version] = [:]
    private static let echoLimit = 1_000

    /// Bytes of the document IDs that the peer named, which are held as long as the feed is.
    let filterByteCount: Int
    /// Bytes that the peer makes the feed hold.
    var heldByteCount: Int { filterByteCount + sender.heldByteCount }

    init(_ request: SubChangesRequest, collection: Int, wireCollection: Int?, limits: SessionLimits) {
        self.collection = collection
        self.wireCollection = wireCollection
        self.request = request
        self.limits = limits
        filterByteCount = request.documentIDs?.reduce(0) { $0 + $1.utf8.count + 16 } ?? 0
        // A peer that was given numbers gives them back; whatever else it gives is no place to begin at.
        scannedThrough = request.since?.number ?? 0
        sender = RevisionSender(collection: collection, wireCollection: wireCollection, limits: limits)
    }

    var isBusy: Bool { scanning != nil || !hasReachedEnd || hasMore || !lists.isEmpty || sender.isBusy }

    /// The lists that wait for their answers.
    var unansweredLists: some Collection<TaskID> { lists.keys }
    /// The revisions that wait for their answers, with their bytes.
    var unansweredRevisions: [TaskID: UInt64] { sender.unanswered }

    /// A Boolean value that says whether nothing will be announced any more.
    var isFinished: Bool { !request.isContinuous && hasAnnouncedEnd && lists.isEmpty && !sender.isBusy }

    /// Begins, or goes on after a local change.
    mutating func localChanged(_ effects: inout Effects) {
        guard request.isContinuous else { return }
        hasMore = true
        proceed(&effects)
    }

    /// Remembers a revision that came from this peer.
    mutating func ignore(_ revision: SyncedRevision) {
        // What is forgotten is announced, and not wanted.
        if echoes.count >= Self.echoLimit { echoes = [:] }
        echoes[ExactText(revision.documentID)] = revision.version
    }

    /// Does whatever can be done now.
    mutating func proceed(_ effects: inout Effects) {
        sender.proceed(&effects)
        let listLimit = hasReachedEnd ? 1 : limits.listsInFlight
        guard scanning == nil, !hasReachedEnd || hasMore, lists.count < listLimit,
            sender.queuedCount < limits.queuedRevisions
        else { return }
        hasMore = false
        let scan = ChangeScan(
            after: scannedThrough, limit: limits.changesPerList, documentIDs: request.documentIDs,
            // Tombstones are left out of what was there before only.
            isActiveOnly: request.isActiveOnly && !hasAnnouncedEnd, isForPush: false)
        scanning = effects.store(.scan(scan), collection: collection)
    }

    /// Takes the result of something that was asked for.
    mutating func finished(_ task: TaskID, _ result: TaskResult, _ effects: inout Effects) -> [Event] {
        var events: [Event] = []
        if task == scanning {
            scanning = nil
            scanned(result, &events, &effects)
        } else if let changes = lists.removeValue(forKey: task) {
            answered(changes, result)
        } else {
            for case .failed(let failure) in sender.finished(task, result, &effects) {
                events.append(.failed(SessionError(failure)))
            }
        }
        proceed(&effects)
        return events
    }

    private mutating func scanned(_ result: TaskResult, _ events: inout [Event], _ effects: inout Effects) {
        guard case .store(.changes(let page)) = result else {
            if case .store(.failed(let failure)) = result { events.append(.failed(SessionError(failure))) }
            return
        }
        scannedThrough = max(scannedThrough, page.scannedThrough)
        hasReachedEnd = page.isEnd
        let changes = page.changes.filter { echoes[$0.key] != $0.version }
        if !changes.isEmpty {
            let rows = changes.map { change in
                ChangesRequest.Row(
                    sequence: RemoteSequence(change.sequence), documentID: change.documentID,
                    version: change.version, flags: change.isDeleted ? .deleted : [],
                    bodyByteCount: change.bodyByteCount)
            }
            lists[effects.send(ChangesRequest(rows: rows, collection: wireCollection).message)] = changes
        }
        if page.isEnd, !hasAnnouncedEnd {
            hasAnnouncedEnd = true
            effects.perform(.sendOnly(ChangesRequest(rows: [], collection: wireCollection).message))
        }
    }

    /// The answer to a list. One that cannot be read means that nothing is wanted, as with Couchbase Lite.
    private mutating func answered(_ changes: [LocalChange], _ result: TaskResult) {
        guard case .reply(let reply) = result, reply.error == nil,
            let answer = try? ChangesReply(reply, limits: limits.messages)
        else { return }
        for (change, item) in zip(changes, answer.items) {
            guard case .send(let ancestors) = item else { continue }
            sender.append(
                RevisionSender.Item(
                    change: change, knownAncestors: ancestors, maxHistory: answer.maxHistory ?? limits.maxHistory,
                    listsAttachments: !answer.understandsBlobs, allowsReplacement: request.wantsReplacements,
                    isConflictRefused: false))
        }
    }
}
