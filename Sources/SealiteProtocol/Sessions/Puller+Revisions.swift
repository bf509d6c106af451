internal import SealiteJSON
internal import SealiteRevisions

// The requested revisions and their outcomes.
extension Puller {
    /// Processes a revision that the peer sends, and returns the consequences for the session. An invalid revision is
    /// refused, and its sequence counts as finished.
    mutating func receiveRevision(_ request: BLIPRequest, at now: Moment, _ actions: inout SessionActions) -> [Event] {
        var events: [Event] = []
        do throws(MessageError) {
            let message = try RevisionRequest(request, limits: limits.messages)
            guard message.sequence != nil else {
                throw MessageError(.missingProperty, "the message's property 'sequence' is missing")
            }
            if let text = message.errorText {
                actions.reply(to: request)
                let shown = ForeignText.shown(text, byteLimit: 16)
                let error = SessionError(.http(502), "the peer could not send the document: error \(shown)")
                fail(message.documentID, message.version, message.sequence, error, &events, &actions)
            } else {
                let history = try message.treeHistory(limits: limits.messages)
                if let refusal = receiver.refusal {
                    actions.refuse(request, refusal)
                    leave(message, SessionError(refusing: refusal), &actions)
                    return events + proceed(&actions)
                }
                var item = RevisionReceiver.Item(request, message, history: history)
                item.revision.isAfterLoss = isAfterLoss
                if requested.hold(item) {
                    receiver.hold(item)
                } else {
                    receiver.receive(item, at: now, &actions)
                }
            }
        } catch {
            actions.refuse(request, error.reply)
            let failure = SessionError(
                .protocolViolation, "the peer's message with the document is invalid: \(error.reason)")
            dropRevision(request, failure, &events, &actions)
        }
        return events + proceed(&actions)
    }

    /// Processes a revision of the peer that was too large to be received and has been refused.
    mutating func rejectRevision(_ request: BLIPRequest, _ error: BLIPError, _ actions: inout SessionActions) -> [Event]
    {
        var events: [Event] = []
        let failure = SessionError(.http(error.status), "the document can't be received: \(error.reason)")
        if failure.recovery == .transient, let message = try? RevisionRequest(request, limits: limits.messages) {
            leave(message, failure, &actions)
        } else {
            dropRevision(request, failure, &events, &actions)
        }
        return events + proceed(&actions)
    }

    /// Processes the message that a promised revision will not be sent. This is no error: either a newer revision is
    /// announced, or the document has none.
    mutating func receiveNoRevision(_ request: BLIPRequest, _ actions: inout SessionActions) -> [Event] {
        var events: [Event] = []
        actions.reply(to: request)
        guard let message = try? NoRevisionRequest(request, limits: limits.messages) else {
            return [
                .failed(
                    SessionError(.protocolViolation, "the peer's message that a document isn't sent (norev) is invalid")
                )
            ]
        }
        finish(message.documentID, message.version, message.sequence, &events)
        return events + proceed(&actions)
    }

    mutating func dropRevision(
        _ request: BLIPRequest, _ error: SessionError, _ events: inout [Event], _ actions: inout SessionActions
    ) {
        let properties = request.properties
        let sequence = properties["sequence"].flatMap { try? RemoteSequence(json: $0, limits: limits.messages) }
        let version = Version(properties["replacedRev"] ?? properties["rev"] ?? "")
        fail(properties["id"] ?? "", version, sequence, error, &events, &actions)
    }

    /// Leaves a revision to the next session: its sequence stays unfinished.
    mutating func leave(_ message: RevisionRequest, _ error: SessionError, _ actions: inout SessionActions) {
        _ = removeRequested(message.documentID, message.replacedVersion ?? message.version, message.sequence)
        leftError = error
        actions.report(
            DocumentEvent(
                collection: collection, documentID: message.documentID, isPush: false, isDeleted: message.isDeleted,
                error: error))
    }

    mutating func ended(
        _ outcome: RevisionReceiver.Outcome, _ events: inout [Event], _ actions: inout SessionActions
    ) {
        switch outcome {
        case .wantedWhole: break
        case .failed(let item, let error):
            if error.recovery == .transient {
                // Its sequence stays unfinished, so that the next session pulls it again.
                _ = removeRequested(item.revision.documentID, item.revision.version, item.sequence)
                leftError = error
                report(item.revision, error: error, &actions)
            } else {
                fail(item.revision.documentID, item.revision.version, item.sequence, error, &events, &actions)
            }
        case .stored(let item, let result): stored(item, result, &events, &actions)
        }
    }

    mutating func stored(
        _ item: RevisionReceiver.Item, _ result: RevisionOutcome, _ events: inout [Event],
        _ actions: inout SessionActions
    ) {
        let revision = item.revision
        let byteCount = finish(revision.documentID, revision.version, item.sequence, &events)
        progress.complete(byteCount)
        switch result {
        case .inserted, .resurrected:
            progress.outcomes.pulled += 1
            events.append(.learned(documentID: revision.documentID, revision.version))
            report(revision, &actions)
        case .conflict: reportConflict(revision.documentID, isDeleted: revision.isDeleted, &events, &actions)
        case .refused(let status, let reason):
            report(
                revision, error: SessionError(refusing: BLIPErrorReply(code: status, message: reason)), &actions)
        case .accessRemoved(let isPurged):
            if isPurged { progress.outcomes.removed += 1 }
            report(revision, isAccessRemoved: true, &actions)
        default: events.append(.learned(documentID: revision.documentID, revision.version))
        }
    }

    mutating func fail(
        _ documentID: String, _ version: Version, _ sequence: RemoteSequence?, _ error: SessionError,
        _ events: inout [Event], _ actions: inout SessionActions
    ) {
        finish(documentID, version, sequence, &events)
        actions.report(DocumentEvent(collection: collection, documentID: documentID, isPush: false, error: error))
    }

    /// Finishes the sequence of a requested revision, and returns the announced number of bytes; 0 if the revision
    /// wasn't requested.
    @discardableResult
    mutating func finish(
        _ documentID: String, _ version: Version, _ sequence: RemoteSequence?, _ events: inout [Event]
    ) -> UInt64 {
        let found = removeRequested(documentID, version, sequence)
        for request in found { finish(request.entry, &events) }
        return found.reduce(0) { $0 + $1.byteCount }
    }

    /// Removes and returns the record of a requested revision, which a message of the peer identifies.
    ///
    /// A message without a sequence identifies the revision by its version. If that isn't an announced one, the message
    /// may concern any requested revision of the document: all of them are removed, because the session would otherwise
    /// wait forever.
    mutating func removeRequested(
        _ documentID: String, _ version: Version, _ sequence: RemoteSequence?
    ) -> [RequestedRevisions.Request] {
        let key = ExactText(documentID)
        if let sequence { return requested.remove(of: key) { $0.sequence == sequence } }
        let named = requested.remove(of: key) { $0.version == version }
        return named.isEmpty ? requested.remove(of: key) { _ in true } : named
    }

    func reportConflict(
        _ documentID: String, isDeleted: Bool, _ events: inout [Event], _ actions: inout SessionActions
    ) {
        events.append(.conflicted(documentID: documentID))
        actions.report(
            DocumentEvent(
                collection: collection, documentID: documentID, isPush: false, isDeleted: isDeleted,
                error: SessionError(
                    .conflict, "the document was changed on both sides; its conflict is still to be resolved")))
    }

    func report(
        _ revision: IncomingRevision, error: SessionError? = nil, isAccessRemoved: Bool = false,
        _ actions: inout SessionActions
    ) {
        actions.report(
            DocumentEvent(
                collection: collection, documentID: revision.documentID, isPush: false,
                isDeleted: revision.isDeleted, isAccessRemoved: isAccessRemoved, error: error))
    }
}
