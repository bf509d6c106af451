internal import SealiteJSON

/// The session of the side that opened the connection. It replicates its collections with the peer until all is done
/// or, if it is continuous, until the connection ends.
///
/// A value without I/O. Its owner calls a method for each event, performs the returned actions in order, and calls
/// `wake(at:)` at the time of `deadline`. After `SessionAction.close` only a last report of documents may follow, in
/// the same list, and no event is expected.
///
/// States: negotiating (agreeing on collections) → running → ended. `stop` and errors lead to ended from any state.
package struct ActiveSession: ReplicationSession {
    /// The state of the replication of one collection.
    struct Part: Sendable {
        var checkpointer: Checkpointer
        var pusher: Pusher?
        var puller: Puller?
        var wasPushing = true
        var wasPulling = true

        /// Returns whether work is in progress, and whether push or pull has become idle since the last call.
        mutating func look() -> (isBusy: Bool, hasRested: Bool) {
            let isPushing = pusher?.isBusy ?? false
            let isPulling = puller?.isBusy ?? false
            defer { (wasPushing, wasPulling) = (isPushing, isPulling) }
            return (isPushing || isPulling, wasPushing && !isPushing || wasPulling && !isPulling)
        }
    }

    enum Phase: Sendable, Hashable { case created, negotiating(TaskID), running, ended }

    let configuration: SessionConfiguration
    private(set) var phase = Phase.created
    package private(set) var status = SessionStatus(activity: .connecting)
    /// A Boolean value that says whether the peer doesn't support named collections: it has only the default one, and
    /// messages have no `collection` property.
    private(set) var isLegacy = false
    private var parts: [Part] = []
    private var totals = PartTotals()
    private var actions: SessionActions
    private var isStopping = false
    /// A Boolean value that says whether all is done, and the checkpoints of all collections are being saved.
    private var isFinishing = false

    package init(_ configuration: SessionConfiguration) {
        self.configuration = configuration
        actions = SessionActions(configuration.limits)
    }

    package var received: ReceivedByteCounts { totals.received }

    /// Does nothing: the application chose the remote, so the limits of a collection are fixed
    /// (`SessionLimits.heldByteCount`).
    package mutating func limitAttachmentWait(to byteCount: Int) {}

    package static var dropsWorkOfEndedConnections: Bool { false }

    /// The time at which to call `wake(at:)` unless another event occurs first; nil if no such call is needed.
    package var deadline: Moment? { totals.deadline }

    // MARK: - What happens

    /// Called when the connection is open. The session begins with the request `getCollections`.
    package mutating func start(at now: Now) -> [SessionAction] {
        // A replicator may be stopped before its session runs.
        guard phase != .ended else { return [] }
        assert(phase == .created, "a session starts once")
        assert(!configuration.collections.isEmpty, "a session replicates a collection")
        let items = configuration.collections.map {
            GetCollectionsRequest.Item(path: $0.path, checkpointID: $0.checkpointID)
        }
        let request = GetCollectionsRequest(
            items: items, databaseUUID: configuration.databaseUUID, asksForNames: configuration.asksForCollections)
        actions.owner = .session
        phase = .negotiating(actions.send(request.message))
        return actions.takeActions()
    }

    /// Called with the result of a requested task.
    package mutating func finish(_ task: TaskID, _ result: TaskResult, at now: Now) -> [SessionAction] {
        guard phase != .ended, let owner = actions.takeOwner(of: task) else { return [] }
        actions.owner = owner
        switch owner {
        case .session: negotiated(result, at: now)
        case .checkpointer(let index):
            take(parts[index].checkpointer.finished(task, result, &actions), of: index, at: now)
        case .pusher(let index):
            let completed = parts.span[index].checkpointer.checkpoint.completed
            take(parts[index].pusher?.finished(task, result, completed: completed, &actions), of: index, at: now)
        case .puller(let index): take(parts[index].puller?.finished(task, result, &actions), of: index, at: now)
        case .feed, .receiver: break
        }
        return settle(at: now)
    }

    /// Called with a request of the peer.
    package mutating func receive(_ request: BLIPRequest, at now: Now) -> [SessionAction] {
        guard phase != .ended else { return [] }
        switch request.profile.flatMap(Profile.init) {
        case .changes?, .rev?, .norev?: receiveForPull(request, nil, at: now)
        case .getAttachment?, .proveAttachment?: serve(request)
        case .ping?: actions.reply(to: request)
        default: actions.refuse(request, .noHandler)
        }
        return settle(at: now)
    }

    /// Called for a request of the peer that was too large and has been refused.
    package mutating func reject(_ request: BLIPRequest, _ error: BLIPError, at now: Now) -> [SessionAction] {
        guard phase != .ended else { return [] }
        switch request.profile.flatMap(Profile.init) {
        case .rev?: receiveForPull(request, error, at: now)
        case .changes?: fail(SessionError(rejecting: "the peer's list of changes", error))
        // It may have been an awaited revision, or a list of changes: its properties were discarded.
        case nil where request.properties.isEmpty: fail(SessionError(rejecting: "a request of the peer", error))
        default: break
        }
        return settle(at: now)
    }

    /// Called when the reply to a request was too large to be received. Ends the session, because it is unknown what
    /// the peer answered.
    package mutating func rejectReply(to task: TaskID, _ error: BLIPError, at now: Now) -> [SessionAction] {
        fail(SessionError(rejecting: "a reply of the peer", error))
        return actions.takeActions()
    }

    /// Called at the time that `deadline` named.
    package mutating func wake(at now: Now) -> [SessionAction] {
        guard phase == .running else { return [] }
        for index in totals.due(at: now.moment) {
            actions.owner = .puller(index)
            parts[index].puller?.wake(at: now.moment, &actions)
            if let deadline = parts[index].checkpointer.deadline, deadline <= now.moment { save(index, at: now) }
        }
        return settle(at: now)
    }

    /// Called when a local document has changed.
    package mutating func localChanged(collection index: Int, at now: Now) -> [SessionAction] {
        guard phase == .running, parts.indices.contains(index) else { return [] }
        actions.owner = .pusher(index)
        parts[index].pusher?.localChanged(&actions)
        return settle(at: now)
    }

    /// Called when the application ends the session: progress is saved first.
    package mutating func stop(at now: Now) -> [SessionAction] {
        guard phase != .ended else { return [] }
        isStopping = true
        guard phase == .running else {
            close(code: 1_000, nil)
            return actions.takeActions()
        }
        for index in parts.indices { save(index, at: now) }
        return settle(at: now)
    }

    /// Called when the connection is lost. Work in progress is forgotten; conflicts that weren't reported yet, because
    /// a pull could have resolved them, are reported.
    package mutating func disconnected() -> [SessionAction] {
        guard phase != .ended else { return [] }
        phase = .ended
        reportConflicts()
        return actions.takeActions()
    }

    // MARK: - Negotiating

    private mutating func negotiated(_ result: TaskResult, at now: Now) {
        guard case .negotiating = phase, case .reply(let reply) = result else { return }
        if let error = reply.error {
            guard error.domain == "BLIP", error.code == 404 else {
                fail(SessionError(error, during: "getCollections"))
                return
            }
            guard configuration.collections.map(\.path) == ["_default"] else {
                var error = SessionError(
                    .collectionNotFound,
                    "the peer doesn't support named collections: only the default collection can be synced with it")
                error.missingCollections = configuration.collections.indices.filter {
                    configuration.collections[$0].path != "_default"
                }
                fail(error)
                return
            }
            isLegacy = true
            begin([nil], at: now)
            return
        }
        do throws(MessageError) {
            let count = configuration.collections.count
            let answer = try GetCollectionsReply(reply, count: count, limits: configuration.limits.messages)
            status.remoteCollections = answer.names
            if answer.names != nil, configuration.collections.contains(where: { $0.channels != nil }) {
                return fail(.noChannels)
            }
            let missing = answer.items.indices.filter { answer.items[$0] == .missing }
            if let index = missing.first {
                let path = configuration.collections[index].path
                var error = SessionError(
                    .collectionNotFound, "collection \"\(path)\" is not found on the remote server")
                error.missingCollections = missing
                fail(error)
            } else {
                if answer.names != nil { actions.perform(.status(status)) }
                begin(answer.items, at: now)
            }
        } catch {
            fail(SessionError(.protocolViolation, "the peer's answer to getCollections is invalid: \(error.reason)"))
        }
    }

    private mutating func begin(_ items: [GetCollectionsReply.Item?], at now: Now) {
        assert(parts.isEmpty, "a session begins once")
        assert(items.count == configuration.collections.count, "the answer names each collection")
        if case .negotiating = phase {} else { assertionFailure("a session runs once its collections are agreed on") }
        phase = .running
        for index in items.indices {
            let collection = configuration.collections[index]
            parts.append(
                Part(
                    checkpointer: Checkpointer(configuration, collection: index, isLegacy: isLegacy),
                    pusher: collection.isPush
                        ? Pusher(configuration, collection: index, isLegacy: isLegacy) : nil,
                    puller: collection.isPull
                        ? Puller(configuration, collection: index, isLegacy: isLegacy) : nil,
                    wasPushing: collection.isPush, wasPulling: collection.isPull))
        }
        for (index, item) in items.enumerated() {
            actions.owner = .checkpointer(index)
            take(parts[index].checkpointer.begin(item, &actions), of: index, at: now)
        }
    }

    // MARK: - Events of the parts

    private mutating func take(_ event: Checkpointer.Event?, of index: Int, at now: Now) {
        switch event {
        case .ready?:
            assert(parts[index].checkpointer.isReady, "a part begins at its checkpoint")
            let checkpoint = parts[index].checkpointer.checkpoint
            if parts[index].checkpointer.wasLost { status.lostCheckpoints.insert(index) }
            if parts[index].checkpointer.hasNewSource, let source = parts[index].checkpointer.source {
                for other in parts.indices { parts[other].checkpointer.changeSource(to: source) }
                status.hasNewSource = true
            }
            // The sooner all collections have saved the reset, the less often it is repeated.
            if configuration.isReset { save(index, at: now) }
            actions.owner = .pusher(index)
            parts[index].pusher?.begin(checkpoint, &actions)
            actions.owner = .puller(index)
            parts[index].puller?.begin(checkpoint, &actions)
        case .failed(let error)?: fail(error)
        case .notSaved(let error)?: if error.recovery == .transient { fail(error) }
        case nil: break
        }
    }

    private mutating func take(_ events: [Pusher.Event]?, of index: Int, at now: Now) {
        guard let events, !events.isEmpty else { return }
        parts[index].checkpointer.update(at: now.moment) { checkpoint in
            for event in events {
                switch event {
                case .completed(let range): checkpoint.completed.insert(range)
                case .pending(let sequence): checkpoint.completed.remove(sequence)
                case .overflowed(let sequence):
                    checkpoint.completed = SequenceSet()
                    checkpoint.reofferedThrough = max(checkpoint.reofferedThrough ?? 0, sequence)
                case .failed: break
                }
            }
        }
        for case .failed(let error) in events { fail(error) }
    }

    private mutating func take(_ events: [Puller.Event]?, of index: Int, at now: Now) {
        guard let events, !events.isEmpty else { return }
        parts[index].checkpointer.update(at: now.moment) { checkpoint in
            for case .advanced(let sequence) in events { checkpoint.remote = sequence }
        }
        for event in events {
            switch event {
            case .advanced: break
            case .learned(let documentID, let version):
                actions.owner = .pusher(index)
                parts[index].pusher?.pulled(documentID, version, &actions)
            case .conflicted(let documentID): parts[index].pusher?.conflictPulled(documentID)
            case .failed(let error): fail(error)
            }
        }
    }

    // MARK: - Requests of the peer

    private mutating func receiveForPull(_ request: BLIPRequest, _ rejected: BLIPError?, at now: Now) {
        guard let index = collection(of: request) else { return }
        actions.owner = .puller(index)
        if let rejected {
            take(parts[index].puller?.rejectRevision(request, rejected, &actions), of: index, at: now)
            return
        }
        guard parts[index].puller != nil else {
            actions.refuse(request, .noHandler)
            return
        }
        switch request.profile.flatMap(Profile.init) {
        case .rev?:
            let events = parts[index].puller?.receiveRevision(request, at: now.moment, &actions)
            take(events, of: index, at: now)
        case .norev?: take(parts[index].puller?.receiveNoRevision(request, &actions), of: index, at: now)
        default:
            do throws(MessageError) {
                let message = try ChangesRequest(request, limits: configuration.limits.messages)
                take(parts[index].puller?.receiveChanges(request, message, &actions), of: index, at: now)
            } catch {
                // The sequences of the rows can't be read, so the session couldn't track which of them are finished.
                actions.refuse(request, error.reply)
                fail(SessionError(.protocolViolation, "the peer's list of changes is invalid: \(error.reason)"))
            }
        }
    }

    private mutating func serve(_ request: BLIPRequest) {
        guard let index = collection(of: request) else { return }
        do throws(MessageError) {
            try actions.serve(request, collection: index)
        } catch {
            actions.refuse(request, error.reply)
        }
    }

    /// Returns the index of the collection that a request of the peer concerns. If the request doesn't refer to one
    /// correctly, refuses the request and returns nil.
    private mutating func collection(of request: BLIPRequest) -> Int? {
        let index = (try? request.properties.collection()) ?? nil
        guard phase == .running, isLegacy == (index == nil), parts.indices.contains(index ?? 0) else {
            actions.refuse(request, BLIPErrorReply(code: 400, message: MessageError.collectionPropertyReason))
            return nil
        }
        return index ?? 0
    }

    // MARK: - Ends

    /// Runs after each step: lets collections go on that wait for their turn, saves checkpoints of idle collections, ends
    /// a completed session, reports a changed activity.
    private mutating func settle(at now: Now) -> [SessionAction] {
        takeTurns(at: now)
        guard phase == .running else { return actions.takeActions() }
        let touched = actions.takeTouched()
        for index in touched where look(index) || isStopping || isFinishing { save(index, at: now) }
        let isBusy = totals.busyCount > 0
        let isDone = isStopping || !isBusy
        if isDone, isStopping || !configuration.isContinuous {
            // Unsaved progress is saved before the end.
            if !isFinishing { for index in parts.indices { save(index, at: now) } }
            isFinishing = true
            if isSaved { close(code: 1_000, nil) }
        } else if isDone, let leftError = totals.leftError, isSaved {
            // A revision was left to the next session, which would never begin if a continuous session didn't end: end
            // it, so that the owner connects again.
            fail(leftError)
        } else {
            isFinishing = false
        }
        // `save` has counted the collections already; otherwise the next step would look at all of them again.
        _ = actions.takeTouched()
        assert(totals.busyCount <= parts.count && totals.unsavedCount <= parts.count)
        updateStatus(isBusy: isBusy || !isSaved)
        return actions.takeActions()
    }

    /// Lets the collections go on that wait for their turn in a window, as long as it has room.
    private mutating func takeTurns(at now: Now) {
        while phase == .running {
            if let index = actions.requested.beginTurn() {
                actions.owner = .puller(index)
                take(parts[index].puller?.proceed(&actions), of: index, at: now)
                actions.requested.endTurn()
            } else if let index = actions.revisions.beginTurn() {
                actions.owner = .pusher(index)
                parts[index].pusher?.proceed(&actions)
                actions.revisions.endTurn()
            } else if let index = actions.lists.beginTurn() {
                actions.owner = .pusher(index)
                parts[index].pusher?.proceed(&actions)
                actions.lists.endTurn()
            } else {
                return
            }
        }
    }

    /// Updates what the session knows of a part, and returns whether its push or pull has become idle.
    private mutating func look(_ index: Int) -> Bool {
        let (isBusy, hasRested) = parts[index].look()
        count(index, isBusy: isBusy)
        return hasRested
    }

    private mutating func count(_ index: Int, isBusy: Bool) {
        totals.update(index, share(of: index, isBusy: isBusy))
    }

    private func share(of index: Int, isBusy: Bool) -> PartTotals.Share {
        // A `Part` is a large value. A span accesses the elements without a copy; an array would copy the element.
        let parts = parts.span
        var share = PartTotals.Share()
        share.isBusy = isBusy
        share.isUnsaved = !parts[index].checkpointer.isSaved
        share.hasSaved = parts[index].checkpointer.hasSaved
        share.deadline = parts[index].checkpointer.deadline
        if let progress = parts[index].pusher?.progress { share.progress = share.progress + progress }
        share.leftError = parts[index].pusher?.leftError
        if let progress = parts[index].puller?.progress { share.progress = share.progress + progress }
        if let bytes = parts[index].puller?.receiver.bytes { share.received = bytes }
        if let deadline = parts[index].puller?.deadline { share.deadline = min(share.deadline ?? deadline, deadline) }
        return share
    }

    private var isSaved: Bool { totals.unsavedCount == 0 }

    private mutating func updateStatus(isBusy: Bool) {
        let progress = totals.progress
        let before = status.activity
        assert(totals.savedCount <= parts.count)
        status = SessionStatus(
            activity: isBusy ? .busy : .idle, completedByteCount: progress.completedByteCount,
            totalByteCount: max(progress.completedByteCount, progress.totalByteCount),
            documentCount: progress.documentCount, outcomes: progress.outcomes,
            hasSavedCheckpoint: totals.savedCount > 0, hasSavedAllCheckpoints: totals.savedCount == parts.count,
            hasCaughtUp: status.hasCaughtUp || !isBusy && totals.leftError == nil,
            lostCheckpoints: status.lostCheckpoints, hasNewSource: status.hasNewSource,
            remoteCollections: status.remoteCollections)
        if status.activity != before, phase == .running { actions.perform(.status(status)) }
    }

    private mutating func save(_ index: Int, at now: Now) {
        assert(phase == .running, "progress is saved while the session runs")
        actions.owner = .checkpointer(index)
        parts[index].checkpointer.save(time: now.unixSeconds, &actions)
        count(index, isBusy: totals[index].isBusy)
    }

    private mutating func reportConflicts() {
        for index in parts.indices {
            actions.owner = .pusher(index)
            parts[index].pusher?.reportConflicts(&actions)
        }
    }

    private mutating func fail(_ error: SessionError) { close(code: error.closeCode, error) }

    private mutating func close(code: Int, _ error: SessionError?) {
        guard phase != .ended else { return }
        phase = .ended
        reportConflicts()
        assert(error == nil || code != 1_000, "an error isn't an orderly end")
        actions.perform(.close(code: code, error))
    }
}

extension BLIPErrorReply {
    /// The reply to a request of an unknown kind, the same as that of Sync Gateway and of Couchbase Lite.
    static let noHandler = BLIPErrorReply(domain: "BLIP", code: 404, message: "no handler for message")
}
