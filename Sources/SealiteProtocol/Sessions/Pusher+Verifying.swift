internal import SealiteRevisions

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
    mutating func verified(
        _ changes: [LocalChange], _ result: TaskResult, _ events: inout [Event], _ actions: inout SessionActions
    ) {
        guard let answer = answer(to: result, &events) else { return }
        for (index, change) in changes.enumerated() {
            if index < answer.items.count, answer.items[index] != .wanted {
                pushed(change, &events, &actions)
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
