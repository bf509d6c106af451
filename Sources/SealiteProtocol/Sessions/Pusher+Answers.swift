internal import SealiteJSON
internal import SealiteRevisions

extension Pusher {
    /// The maximum number of times that one revision is proposed again: a peer whose replies require more contradicts
    /// itself.
    private static let reproposalLimit = 5

    /// Processes the reply to a list of proposals.
    mutating func answered(_ changes: [LocalChange], _ result: TaskResult, _ actions: inout SessionActions) {
        guard let answer = answer(to: result) else { return }
        // The first reply names the peer's capabilities; later ones need not repeat them.
        peer.maxHistory = answer.maxHistory ?? peer.maxHistory
        peer.understandsBlobs = peer.understandsBlobs || answer.understandsBlobs
        peer.takesDeltas = answer.takesDeltas ?? peer.takesDeltas
        for (index, change) in changes.enumerated() {
            answered(change, index < answer.items.count ? answer.items[index] : .wanted, &actions)
        }
    }

    /// Reads the reply to a list of proposals; nil if the session ends because the reply is an error or invalid.
    mutating func answer(to result: TaskResult) -> ProposeChangesReply? {
        guard case .reply(let reply) = result else { return nil }
        if let error = reply.error {
            events.append(.failed(SessionError(error, during: "proposeChanges")))
            return nil
        }
        do {
            return try ProposeChangesReply(reply, limits: limits.messages)
        } catch {
            let reason = "the peer's answer to proposeChanges is invalid: \(error.reason)"
            events.append(.failed(SessionError(.protocolViolation, reason)))
            return nil
        }
    }

    private mutating func answered(
        _ change: LocalChange, _ verdict: ProposalDecision, _ actions: inout SessionActions
    ) {
        switch verdict {
        case .wanted:
            sender.append(
                RevisionSender.Item(
                    change: change, knownAncestors: change.remoteVersion.map { [$0] } ?? [],
                    maxHistory: peer.maxHistory ?? limits.maxHistory, listsAttachments: !peer.understandsBlobs,
                    omitsOldTreeIDs: peer.isSyncGateway, allowsReplacement: false,
                    takesDelta: usesDeltas && peer.takesDeltas, isConflictRefused: true))
        case .known:
            markSynced(change)
            progress.outcomes.known += 1
            // The peer still has the document that was offered again. Nothing was sent, so it isn't reported.
            end(change, isSent: true, &actions, isReported: !change.isReoffered)
        case .conflict(let current):
            let count = (work[change.key]?.reproposalCount ?? 0) + 1
            work[change.key]?.reproposalCount = count
            if current == nil, change.remoteVersion != nil, count == 1 {
                // Couchbase Lite's reply, without a revision, if it has lost the document: propose it as a new one.
                var again = change
                again.remoteVersion = nil
                work[change.key]?.change = again
                propose([again], &actions)
            } else if count > Self.reproposalLimit || current?.revisionID != nil && current == change.remoteVersion {
                conflicted(change, &actions)
            } else {
                let request = StoreRequest.reconsider(change, serverVersion: current)
                reconsidering[actions.store(request, collection: collection)] = change
            }
        case .refused(let status):
            let error = SessionError(.http(status), "the peer refused the document with HTTP \(status)")
            refuse(change, error, &actions)
        }
    }

    /// Processes the database's decision on a revision that the peer refused as a conflict.
    mutating func reconsidered(_ change: LocalChange, _ result: TaskResult, _ actions: inout SessionActions) {
        switch result {
        case .store(.reconsidered(.propose(let again))):
            if again.sequence != change.sequence {
                finishSequence(of: change)
                events.append(.pending(again.sequence))
            }
            work[change.key, default: Work(change: again)].change = again
            propose([again], &actions)
        case .store(.reconsidered(.unnecessary)):
            end(change, isSent: false, &actions, isReported: !change.isReoffered)
        case .store(.reconsidered(.excluded)):
            end(change, isSent: false, &actions, isReported: false)
        case .store(.failed(let failure)): events.append(.failed(SessionError(failure)))
        default: conflicted(change, &actions)
        }
    }

    /// Ends a proposal as a conflict. In a session that pulls too, the pull normally brings the remote's revision, or
    /// has brought it already; the conflict is reported only if the pull ends without the revision.
    private mutating func conflicted(_ change: LocalChange, _ actions: inout SessionActions) {
        let error = SessionError(.conflict, "the peer has another revision of the document")
        if configuration.isPull, !hasPulledConflict(change) { conflicts[change.key] = change }
        refuse(change, error, &actions, isReported: !configuration.isPull)
    }

    /// Reconsiders a change that the peer refused as a conflict, after the pull has brought the peer's revision of the
    /// document or found which one the peer has: the change may be proposed again.
    mutating func pulled(_ documentID: String, _ version: Version, _ actions: inout SessionActions) {
        guard let change = conflicts.removeValue(forKey: ExactText(documentID)) else { return }
        work[change.key] = Work(change: change)
        let request = StoreRequest.reconsider(change, serverVersion: version)
        reconsidering[actions.store(request, collection: collection)] = change
    }

    /// Reports, when the pull ends, the conflicts that were held back for it.
    mutating func reportConflicts(_ actions: inout SessionActions) {
        for change in conflicts.values.sorted(by: { $0.sequence < $1.sequence }) { reportConflict(change, &actions) }
        conflicts = [:]
    }

    /// Processes the outcome of a revision that was wanted by the peer.
    mutating func ended(_ outcome: RevisionSender.Outcome, _ actions: inout SessionActions) {
        switch outcome {
        case .accepted(let item):
            if item.change.isReoffered || refusals.remembers(item.change.key) {
                unverified.append(item.change)
            } else {
                pushed(item.change, &actions)
            }
        case .gone(let item, _): end(item.change, isSent: false, &actions, isReported: false)
        case .failed(let failure): events.append(.failed(SessionError(failure)))
        case .refused(let item, let reply): refused(item.change, reply, &actions)
        }
    }

    /// Ends a revision that the peer has now.
    mutating func pushed(_ change: LocalChange, _ actions: inout SessionActions) {
        markSynced(change, isFirst: change.remoteVersion == nil)
        progress.outcomes.pushed += 1
        end(change, isSent: true, &actions)
    }

    private mutating func refused(_ change: LocalChange, _ reply: BLIPErrorReply, _ actions: inout SessionActions) {
        let error = SessionError(reply, during: "the document")
        if error.code == .http(409), configuration.isPull {
            // The revision with which this one conflicts was saved at the peer after the proposal.
            conflicted(change, &actions)
        } else if error.code == .http(403), work[change.key]?.successor != nil {
            // The newer revision is proposed instead.
            end(change, isSent: false, &actions, isReported: false)
        } else if error.code == .http(403), hasRetried.insert(change.key).inserted {
            forbidden[change.key] = change
            work[change.key] = nil
        } else if error.recovery == .transient {
            // The sequence stays pending, so that the next session proposes it again.
            leftError = error
            report(change, error, &actions)
            startSuccessor(of: change, isSent: false, &actions)
        } else {
            refuse(change, error, &actions)
        }
    }

    /// Records that the peer refused a revision. Its sequence is finished only once the refusal is stored, so that an
    /// interrupted session loses none.
    mutating func refuse(
        _ change: LocalChange, _ error: SessionError, _ actions: inout SessionActions, isReported: Bool = true
    ) {
        refusals.add(Refusal(change, error), for: change)
        if isReported { report(change, error, &actions) }
        startSuccessor(of: change, isSent: false, &actions)
    }

    private mutating func markSynced(_ change: LocalChange, isFirst: Bool = false) {
        synced.append(SyncedRevision(documentID: change.documentID, version: change.version, isFirst: isFirst))
    }

    /// Finishes a revision and proposes the next one of its document, if there is one.
    private mutating func end(
        _ change: LocalChange, isSent: Bool, _ actions: inout SessionActions, isReported: Bool = true
    ) {
        refusals.settle(change.key)
        finishSequence(of: change)
        if isReported { report(change, nil, &actions) }
        startSuccessor(of: change, isSent: isSent, &actions)
    }

    private mutating func startSuccessor(of change: LocalChange, isSent: Bool, _ actions: inout SessionActions) {
        guard var next = work.removeValue(forKey: change.key)?.successor else { return }
        if isSent { next.remoteVersion = change.version }
        conflicts[change.key] = nil
        hasRetried.remove(change.key)
        work[change.key] = Work(change: next)
        propose([next], &actions)
    }
}
