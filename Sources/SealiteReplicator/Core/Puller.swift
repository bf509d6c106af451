/// Pulls one collection of the active side: asks for the peer's changes, says which revisions it wants, takes them, and
/// keeps account of the sequences that are finished.
struct Puller: Sendable {
    /// What a step brought about.
    enum Event: Sendable, Equatable {
        /// All through a sequence is pulled.
        case advanced(RemoteSequence?)
        /// The peer is known to have a revision as its current one.
        case learned(documentID: String, WireRevisionID)
        /// A conflict is stored, and told to the application.
        case conflicted(documentID: String)
        /// The session cannot go on.
        case failed(SessionError)
    }

    /// A revision that was asked for.
    private struct Requested: Sendable {
        let entry: RemoteSequenceSet.Entry
        let revisionID: WireRevisionID
        let byteCount: UInt64
    }

    /// A row is found again by document and sequence, which stay the same when another revision replaces the announced.
    private struct Key: Hashable, Sendable {
        let documentID: String
        let sequence: RemoteSequence

        init(documentID: String, sequence: RemoteSequence) {
            self.documentID = documentID
            self.sequence = sequence
        }

        init(_ item: RevisionReceiver.Item) {
            self.init(documentID: item.revision.documentID, sequence: item.sequence ?? RemoteSequence(0))
        }
    }

    /// A list whose rows are with the database.
    private struct Comparing: Sendable {
        let request: BLIPRequest
        let rows: [ChangesRequest.Row]
        let entries: [RemoteSequenceSet.Entry]
    }

    let collection: Int
    let wireCollection: Int?
    private let configuration: SessionConfiguration
    private let limits: SessionLimits
    private(set) var receiver: RevisionReceiver
    private(set) var progress = TransferProgress()
    private var sequences = RemoteSequenceSet(since: nil)
    private var subscribing: TaskID?
    private var isCaughtUp = false
    private var waitingLists: [(BLIPRequest, [ChangesRequest.Row])] = []
    private var comparing: [TaskID: Comparing] = [:]
    /// The list whose documents of lost access are being purged. The rest of it, and what comes after, waits: who compares a
    /// document that is about to be purged finds it there.
    private var removing: (task: TaskID, list: Comparing)?
    private var requested: [Key: Requested] = [:]
    /// The only documents to pull, if the peer cannot be asked for them; nil is all.
    private let documentFilter: Set<ExactText>?
    private let isAutoPurging: Bool

    init(_ configuration: SessionConfiguration, collection: Int, isLegacy: Bool) {
        self.collection = collection
        wireCollection = isLegacy ? nil : collection
        self.configuration = configuration
        limits = configuration.limits
        let documentIDs = configuration.collections[collection].documentIDs
        documentFilter = documentIDs.map { Set($0.map(ExactText.init)) }
        // A list of documents says nothing of what else the user may see.
        isAutoPurging = configuration.isAutoPurging && documentIDs == nil
        receiver = RevisionReceiver(
            collection: collection, wireCollection: wireCollection, limits: configuration.limits)
    }

    /// Whether something is under way, or the peer has not announced all.
    var isBusy: Bool {
        !isCaughtUp || subscribing != nil || !waitingLists.isEmpty || !comparing.isEmpty || removing != nil
            || !requested.isEmpty || receiver.isBusy
    }

    var deadline: Moment? { receiver.deadline }

    /// Asks for changes after the sequence through which all is pulled.
    mutating func begin(_ checkpoint: Checkpoint, _ effects: inout Effects) {
        let own = configuration.collections[collection]
        sequences = RemoteSequenceSet(since: checkpoint.remote)
        var request = SubChangesRequest(since: checkpoint.remote, collection: wireCollection)
        // Sync Gateway refuses a list of documents in a continuous subscription; those are filtered here.
        request.isContinuous = configuration.isContinuous
        request.batch = limits.changesPerList
        request.isActiveOnly = own.isEmpty && checkpoint.remote == nil
        request.channels = own.channels
        request.wantsRevocations = isAutoPurging
        request.wantsReplacements = true
        request.versioning = "rev-trees"
        request.documentIDs = configuration.isContinuous ? nil : own.documentIDs
        subscribing = effects.send(request.message)
    }

    mutating func wake(at now: Moment, _ effects: inout Effects) { receiver.wake(at: now, &effects) }

    /// Takes a list of the peer's changes.
    mutating func receiveChanges(
        _ request: BLIPRequest, _ message: ChangesRequest, _ effects: inout Effects
    ) -> [Event] {
        guard !message.rows.isEmpty else {
            isCaughtUp = true
            effects.reply(to: request)
            return []
        }
        guard waitingLists.count < limits.waitingLists else {
            let reason = "the peer has more than \(limits.waitingLists) lists of changes unanswered"
            return [.failed(SessionError(.protocolViolation, reason))]
        }
        waitingLists.append((request, message.rows))
        return proceed(&effects)
    }

    /// Gives waiting lists to the database as long as few enough revisions are awaited.
    private mutating func proceed(_ effects: inout Effects) -> [Event] {
        var events: [Event] = []
        while !waitingLists.isEmpty, requested.count < limits.requestedRevisions, comparing.count < 2, removing == nil {
            let (request, rows) = waitingLists[0]
            // What an earlier list wants is known when it was compared.
            guard comparing.isEmpty || !rows.contains(where: \.flags.isAccessLost) else { break }
            guard !takesAccessFromAwaited(rows) else {
                // Else the document would be purged first and inserted then.
                receiver.insert(&effects)
                break
            }
            waitingLists.removeFirst()
            take(request, rows, &events, &effects)
        }
        return events
    }

    /// Whether rows take away the access to a document of which a revision is on its way.
    private func takesAccessFromAwaited(_ rows: [ChangesRequest.Row]) -> Bool {
        let lost = Set(rows.lazy.filter(\.flags.isAccessLost).map { ExactText($0.documentID) })
        return !lost.isEmpty && requested.keys.contains { lost.contains(ExactText($0.documentID)) }
    }

    private mutating func take(
        _ request: BLIPRequest, _ rows: [ChangesRequest.Row], _ events: inout [Event], _ effects: inout Effects
    ) {
        let list = Comparing(request: request, rows: rows, entries: rows.map { sequences.add($0.sequence) })
        let lost = rows.filter(\.flags.isAccessLost)
        guard isAutoPurging, !lost.isEmpty else {
            finishLost(list, &events, &effects)
            return compare(list, &effects)
        }
        removing = (effects.store(.removeAccess(lost), collection: collection), list)
    }

    private mutating func compare(_ list: Comparing, _ effects: inout Effects) {
        let task = effects.store(.compare(list.rows.filter { isCompared($0) }), collection: collection)
        comparing[task] = list
    }

    private mutating func removed(
        _ list: Comparing, _ result: TaskResult, _ events: inout [Event], _ effects: inout Effects
    ) {
        removing = nil
        if case .store(.failed(let failure)) = result {
            effects.refuse(list.request, failure.reply)
            events.append(.failed(SessionError(failure)))
            return
        }
        finishLost(list, &events, &effects)
        compare(list, &effects)
    }

    private mutating func finishLost(_ list: Comparing, _ events: inout [Event], _ effects: inout Effects) {
        for (row, entry) in zip(list.rows, list.entries) where row.flags.isAccessLost {
            reportLostAccess(row, &effects)
            finish(entry, &events)
        }
    }

    private func isCompared(_ row: ChangesRequest.Row) -> Bool {
        !row.flags.isAccessLost && documentFilter?.contains(ExactText(row.documentID)) != false
    }

    /// Takes the result of something that was asked for.
    mutating func finished(_ task: TaskID, _ result: TaskResult, _ effects: inout Effects) -> [Event] {
        var events: [Event] = []
        if task == subscribing, case .reply(let reply) = result {
            subscribing = nil
            if let error = reply.error { events.append(.failed(SessionError(error, during: "subChanges"))) }
        } else if let list = comparing.removeValue(forKey: task) {
            compared(list, result, &events, &effects)
        } else if let removing, removing.task == task {
            removed(removing.list, result, &events, &effects)
        } else {
            for outcome in receiver.finished(task, result, &effects) { ended(outcome, &events, &effects) }
        }
        return events + proceed(&effects)
    }

    private mutating func compared(
        _ list: Comparing, _ result: TaskResult, _ events: inout [Event], _ effects: inout Effects
    ) {
        guard case .store(.compared(let decisions)) = result else {
            if case .store(.failed(let failure)) = result {
                effects.refuse(list.request, failure.reply)
                events.append(.failed(SessionError(failure)))
            }
            return
        }
        var items: [ChangesReply.Item] = []
        var next = decisions.makeIterator()
        for (row, entry) in zip(list.rows, list.entries) {
            let decision: RowDecision = isCompared(row) ? next.next() ?? .unwanted : .unwanted
            switch decision {
            case .unwanted:
                items.append(.skip)
                guard !row.flags.isAccessLost else { continue }
                if isCompared(row) { events.append(.learned(documentID: row.documentID, row.revisionID)) }
                finish(entry, &events)
            case .conflicting:
                items.append(.skip)
                reportConflict(row.documentID, isDeleted: row.flags.contains(.deleted), &events, &effects)
                finish(entry, &events)
            case .wanted(let ancestors):
                items.append(.send(ancestors: ancestors))
                let byteCount = row.bodyByteCount ?? 0
                progress.add(byteCount)
                let key = Key(documentID: row.documentID, sequence: row.sequence)
                if let earlier = requested[key] { finish(earlier.entry, &events) }
                requested[key] = Requested(entry: entry, revisionID: row.revisionID, byteCount: byteCount)
            }
        }
        var reply = ChangesReply(items: items, maxHistory: limits.maxHistory)
        reply.understandsBlobs = true
        effects.reply(to: list.request, reply.message)
    }

    private mutating func finish(_ entry: RemoteSequenceSet.Entry, _ events: inout [Event]) {
        if sequences.finish(entry) { events.append(.advanced(sequences.checkpoint)) }
    }

    private func reportLostAccess(_ row: ChangesRequest.Row, _ effects: inout Effects) {
        effects.report(
            DocumentEvent(
                collection: collection, documentID: row.documentID, isPush: false,
                isDeleted: row.flags.contains(.deleted), isAccessLost: true))
    }
}

// MARK: - Revisions

extension Puller {
    /// Takes a revision. One that cannot be read is refused, and its sequence is finished all the same.
    mutating func receiveRevision(_ request: BLIPRequest, at now: Moment, _ effects: inout Effects) -> [Event] {
        var events: [Event] = []
        do throws(MessageError) {
            let message = try RevisionRequest(request, limits: limits.messages)
            guard message.sequence != nil else { throw MessageError(.missingProperty, "missing 'sequence'") }
            if let text = message.errorText {
                effects.reply(to: request)
                let error = SessionError(.http(502), "the peer could not send the document: error \(text.prefix(16))")
                fail(message.documentID, message.sequence, error, &events, &effects)
            } else {
                let history = try message.treeHistory(limits: limits.messages)
                receiver.receive(RevisionReceiver.Item(request, message, history: history), at: now, &effects)
            }
        } catch {
            effects.refuse(request, error.reply)
            dropRevision(request, SessionError(.protocolViolation, error.reason), &events, &effects)
        }
        return events + proceed(&effects)
    }

    /// A revision was too large to be taken, and refused already.
    mutating func rejectRevision(_ request: BLIPRequest, _ error: BLIPError, _ effects: inout Effects) -> [Event] {
        var events: [Event] = []
        dropRevision(request, SessionError(.http(413), error.reason), &events, &effects)
        return events + proceed(&effects)
    }

    /// Takes the news that a promised revision will not come. That is no error: a newer one is announced, or none.
    mutating func receiveNoRevision(_ request: BLIPRequest, _ effects: inout Effects) -> [Event] {
        var events: [Event] = []
        effects.reply(to: request)
        guard let message = try? NoRevisionRequest(request, limits: limits.messages) else {
            return [.failed(SessionError(.protocolViolation, "a norev message cannot be read"))]
        }
        _ = finish(message.documentID, message.sequence, &events)
        return events + proceed(&effects)
    }

    private mutating func dropRevision(
        _ request: BLIPRequest, _ error: SessionError, _ events: inout [Event], _ effects: inout Effects
    ) {
        let sequence = request.properties["sequence"].flatMap { try? RemoteSequence(json: $0, limits: limits.messages) }
        fail(request.properties["id"] ?? "", sequence, error, &events, &effects)
    }

    private mutating func ended(
        _ outcome: RevisionReceiver.Outcome, _ events: inout [Event], _ effects: inout Effects
    ) {
        switch outcome {
        case .wantedWhole: break
        case .failed(let item, let error):
            if error.recovery == .transient {
                // Its sequence stays unfinished, so that the next session pulls it again.
                requested[Key(item)] = nil
                report(item.revision, error: error, &effects)
            } else {
                fail(item.revision.documentID, item.sequence, error, &events, &effects)
            }
        case .stored(let item, let result): stored(item, result, &events, &effects)
        }
    }

    private mutating func stored(
        _ item: RevisionReceiver.Item, _ result: InsertOutcome, _ events: inout [Event], _ effects: inout Effects
    ) {
        let revision = item.revision
        let request = finish(revision.documentID, item.sequence, &events)
        progress.complete(request?.byteCount ?? 0)
        switch result {
        case .inserted:
            events.append(.learned(documentID: revision.documentID, revision.revisionID))
            report(revision, &effects)
        case .conflict: reportConflict(revision.documentID, isDeleted: revision.isDeleted, &events, &effects)
        case .refused(let reply): report(revision, error: SessionError(reply, during: "the document"), &effects)
        case .accessLost: report(revision, isAccessLost: true, &effects)
        default: events.append(.learned(documentID: revision.documentID, revision.revisionID))
        }
    }

    private mutating func fail(
        _ documentID: String, _ sequence: RemoteSequence?, _ error: SessionError, _ events: inout [Event],
        _ effects: inout Effects
    ) {
        _ = finish(documentID, sequence, &events)
        effects.report(DocumentEvent(collection: collection, documentID: documentID, isPush: false, error: error))
    }

    /// Finishes the sequence of a revision, if it was asked for.
    private mutating func finish(
        _ documentID: String, _ sequence: RemoteSequence?, _ events: inout [Event]
    ) -> Requested? {
        guard let sequence,
            let found = requested.removeValue(forKey: Key(documentID: documentID, sequence: sequence))
        else { return nil }
        finish(found.entry, &events)
        return found
    }

    private func reportConflict(
        _ documentID: String, isDeleted: Bool, _ events: inout [Event], _ effects: inout Effects
    ) {
        events.append(.conflicted(documentID: documentID))
        effects.report(
            DocumentEvent(
                collection: collection, documentID: documentID, isPush: false, isDeleted: isDeleted,
                error: SessionError(.conflict, "the document was changed on both sides")))
    }

    private func report(
        _ revision: IncomingRevision, error: SessionError? = nil, isAccessLost: Bool = false,
        _ effects: inout Effects
    ) {
        effects.report(
            DocumentEvent(
                collection: collection, documentID: revision.documentID, isPush: false,
                isDeleted: revision.isDeleted, isAccessLost: isAccessLost, error: error))
    }
}
