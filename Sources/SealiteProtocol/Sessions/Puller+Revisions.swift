internal import SealiteJSON
internal import SealiteRevisions

// The requested revisions and their outcomes.
extension Puller {
    /// Processes a revision that the peer sends, and returns the consequences for the session. An invalid revision is
    /// refused, and its sequence counts as finished. A revision that wasn't requested is refused, whatever it is.
    mutating func receiveRevision(_ request: BLIPRequest, at now: Moment, _ actions: inout SessionActions) -> [Event] {
        do throws(MessageError) {
            let message = try RevisionRequest(request, limits: limits.messages)
            guard let sequence = message.sequence else {
                throw MessageError(.missingProperty, "the message's property 'sequence' is missing")
            }
            guard requested.expects(ExactText(message.documentID), sequence) else {
                progress.outcomes.unrequested += 1
                actions.refuse(request, .unrequested)
                return proceed(&actions)
            }
            if let text = message.errorText {
                actions.reply(to: request)
                let shown = ForeignText.shown(text, byteLimit: 16)
                let error = SessionError(.http(502), "the peer could not send the document: error \(shown)")
                fail(message.documentID, message.version, message.sequence, error, &actions)
            } else {
                let history = try message.treeHistory(limits: limits.messages)
                if let refusal = receiver.refusal {
                    actions.refuse(request, refusal)
                    let version = message.replacedVersion ?? message.version
                    let error = SessionError(refusing: refusal)
                    fail(message.documentID, version, message.sequence, error, &actions)
                    return proceed(&actions)
                }
                var item = RevisionReceiver.Item(request, message, history: history)
                item.revision.isAfterLoss = isAfterLoss
                if requested.hold(item) {
                    receiver.hold(item)
                } else {
                    receiver.receive(item, at: now, &actions)
                    progress.outcomes.deltas = progress.outcomes.deltas + receiver.takeDeltaCounts()
                }
            }
        } catch {
            actions.refuse(request, error.reply)
            let failure = SessionError(
                .protocolViolation, "the peer's message with the document is invalid: \(error.reason)")
            dropRevision(request, failure, &actions)
        }
        return proceed(&actions)
    }

    /// Processes a revision of the peer that was too large to be received and has been refused.
    mutating func rejectRevision(_ request: BLIPRequest, _ error: BLIPError, _ actions: inout SessionActions) -> [Event]
    {
        let failure = SessionError(.http(error.status), "the document can't be received: \(error.reason)")
        dropRevision(request, failure, &actions)
        return proceed(&actions)
    }

    /// Processes the message that a promised revision will not be sent. Unless the peer has failed, this is no error:
    /// either a newer revision is announced, or the document has none.
    mutating func receiveNoRevision(_ request: BLIPRequest, _ actions: inout SessionActions) -> [Event] {
        actions.reply(to: request)
        guard let message = try? NoRevisionRequest(request, limits: limits.messages) else {
            return [
                .failed(
                    SessionError(.protocolViolation, "the peer's message that a document isn't sent (norev) is invalid")
                )
            ]
        }
        if message.status >= 500, request.properties["error"] != nil,
            requested.expects(ExactText(message.documentID), message.sequence)
        {
            let error = SessionError(.http(502), "the peer could not send the document: error \(message.status)")
            fail(message.documentID, message.version, message.sequence, error, &actions)
        } else {
            finish(message.documentID, message.version, message.sequence)
        }
        return proceed(&actions)
    }

    mutating func dropRevision(_ request: BLIPRequest, _ error: SessionError, _ actions: inout SessionActions) {
        let properties = request.properties
        let sequence = properties["sequence"].flatMap { try? RemoteSequence(json: $0, limits: limits.messages) }
        let version = Version(properties["replacedRev"] ?? properties["rev"] ?? "")
        let documentID = properties["id"] ?? ""
        guard requested.expects(ExactText(documentID), sequence) else {
            progress.outcomes.unrequested += 1
            return
        }
        fail(documentID, version, sequence, error, &actions)
    }

    mutating func ended(_ outcome: RevisionReceiver.Outcome, _ actions: inout SessionActions) {
        switch outcome {
        case .failed(let item, let error): fail(item, error, &actions)
        case .stored(let item, let result): stored(item, result, &actions)
        // The request goes on: the peer sends the revision once more, under the same sequence.
        case .wantedWhole: break
        }
    }

    private mutating func fail(_ item: RevisionReceiver.Item, _ error: SessionError, _ actions: inout SessionActions) {
        let revision = item.revision
        fail(revision.documentID, revision.version, item.sequence, error, isDeleted: revision.isDeleted, &actions)
    }

    mutating func stored(_ item: RevisionReceiver.Item, _ result: RevisionOutcome, _ actions: inout SessionActions) {
        let revision = item.revision
        if let error = SessionError(result), !result.isFiltered { return fail(item, error, &actions) }
        let byteCount = finish(revision.documentID, revision.version, item.sequence)
        progress.complete(byteCount)
        if revision.deltaSource != nil {
            progress.outcomes.deltas.savedByteCount += byteCount - min(byteCount, UInt64(revision.body.count))
        }
        if result.isFiltered, let sequence = item.sequence {
            requested.refuse(ExactText(revision.documentID), sequence)
        }
        if !result.isFiltered { refusals.settle(ExactText(revision.documentID)) }
        switch result {
        case .inserted, .resurrected:
            progress.outcomes.pulled += 1
            events.append(.learned(documentID: revision.documentID, revision.version))
            report(revision.documentID, isDeleted: revision.isDeleted, &actions)
        case .conflict: reportConflict(revision.documentID, isDeleted: revision.isDeleted, &actions)
        case .refused:
            report(revision.documentID, isDeleted: revision.isDeleted, error: SessionError(result), &actions)
        case .accessRemoved(let isPurged):
            if isPurged { progress.outcomes.removed += 1 }
            report(revision.documentID, isDeleted: revision.isDeleted, isAccessRemoved: true, &actions)
        default: events.append(.learned(documentID: revision.documentID, revision.version))
        }
    }

    /// Reports a revision that couldn't be stored. If it was requested, its refusal is stored, and only then does its
    /// sequence count as finished, so that an interrupted session loses no document.
    mutating func fail(
        _ documentID: String, _ version: Version, _ sequence: RemoteSequence?, _ error: SessionError,
        isDeleted: Bool = false, _ actions: inout SessionActions
    ) {
        report(documentID, isDeleted: isDeleted, error: error, &actions)
        let ended = removeRequested(documentID, version, sequence)
        guard !ended.isEmpty else { return }
        for request in ended { requested.refuse(ExactText(documentID), request.sequence) }
        refusals.add(Refusal(unstored: documentID, version, error), for: ended.map(\.entry))
    }

    /// Finishes the sequences of revisions whose refusals are now stored. The checkpoint stops at those beyond the
    /// limit.
    mutating func recorded(_ outcome: RefusalLog<[RemoteSequenceSet.Entry]>.Outcome) {
        switch outcome {
        case .failed(let failure): events.append(.failed(SessionError(failure)))
        case .recorded(let stored, _): for entry in stored.joined() { finish(entry) }
        case .other: break
        }
    }

    /// Finishes the sequence of a requested revision, and returns the announced number of bytes; 0 if the revision
    /// wasn't requested.
    @discardableResult
    mutating func finish(_ documentID: String, _ version: Version, _ sequence: RemoteSequence?) -> UInt64 {
        let found = removeRequested(documentID, version, sequence)
        for request in found { finish(request.entry) }
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

    mutating func reportConflict(_ documentID: String, isDeleted: Bool, _ actions: inout SessionActions) {
        events.append(.conflicted(documentID: documentID))
        report(documentID, isDeleted: isDeleted, error: .unresolvedConflict, &actions)
    }

    func report(
        _ documentID: String, isDeleted: Bool, isAccessRemoved: Bool = false, error: SessionError? = nil,
        _ actions: inout SessionActions
    ) {
        actions.report(
            DocumentEvent(
                collection: collection, documentID: documentID, isPush: false, isDeleted: isDeleted,
                isAccessRemoved: isAccessRemoved, error: error))
    }
}

extension BLIPErrorReply {
    /// The reply to a revision that wasn't requested in this session.
    fileprivate static let unrequested = BLIPErrorReply(code: 403, message: "the revision was not requested")
}

extension RevisionOutcome {
    /// A Boolean value that says whether the application doesn't want the revision: the pull filter or the selection of
    /// documents has refused it. This is no failure.
    fileprivate var isFiltered: Bool {
        if case .refused(status: 403, _) = self { true } else { false }
    }
}

extension SessionError {
    /// Creates the error for a revision that this side refused; nil for any other outcome.
    init?(_ outcome: RevisionOutcome) {
        switch outcome {
        case .refused(let status, let reason): self.init(refusing: BLIPErrorReply(code: status, message: reason))
        case .aheadOfClock(let reason): self.init(aheadOfClock: reason)
        default: return nil
        }
    }
}
