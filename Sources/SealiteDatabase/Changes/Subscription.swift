internal import SealiteBase

/// A subscription to the changes of one collection, or to both the changes of the schema and the changes by other
/// processes. The subscriber waits until the subscription is woken or ended, or its task is cancelled.
final class Subscription: Sendable {
    private struct State {
        var isAwake = false
        var isEnded = false
        /// The announced purges, each with its number among all purges of the collection, from 1.
        var purges: [(number: Int64, document: PurgedDocument)] = []
        /// The states of documents before their changes.
        var earlier = EarlierStates()
    }

    let database: ObjectIdentifier
    /// The number of the collection; nil for a subscription to the schema and to changes of other processes.
    let collection: Int?
    /// A Boolean value that says whether the subscription needs the ids of purged documents.
    private let namesPurges: Bool
    /// A Boolean value that says whether the subscription needs the states of documents before their changes.
    let wantsEarlierStates: Bool
    private let state = Condition(State())

    init(_ database: Database, collection: Int?, namesPurges: Bool, wantsEarlierStates: Bool) {
        self.database = ObjectIdentifier(database)
        self.collection = collection
        self.namesPurges = namesPurges
        self.wantsEarlierStates = wantsEarlierStates
    }

    /// Wakes the subscriber.
    func wake() {
        // During a burst of commits the subscription is mostly awake already, and then no task waits for it.
        let wasAwake = state.withLock { state in
            let wasAwake = state.isAwake
            state.isAwake = true
            return wasAwake
        }
        if !wasAwake { state.change { $0.isAwake = true } }
    }

    /// Announces the documents that a transaction purges, so that the subscriber can still name them once their rows no
    /// longer exist. The first of these purges follows purge `number` of the collection. None of them is recorded if
    /// more than 10,000 purges would then wait for the subscriber.
    func announce(_ documents: [PurgedDocument], after number: Int64) {
        guard namesPurges else { return }
        state.withLock { state in
            guard state.purges.count + documents.count <= Transaction.purgeListLimit else { return }
            for (index, document) in documents.enumerated() {
                state.purges.append((number + 1 + Int64(index), document))
            }
        }
    }

    /// Discards the purges with numbers greater than `number`, because they were rolled back.
    func retract(after number: Int64) {
        state.withLock { state in state.purges.removeAll { $0.number > number } }
    }

    /// Ends the subscription; a second call does nothing.
    func end() { state.change { $0.isEnded = true } }

    /// Clears the wake flag before the caller reads, so that a change during the read wakes the subscription again.
    func willLook() {
        state.withLock { $0.isAwake = false }
    }

    /// Removes the recorded purges with numbers up to `last`, and returns the ids of the documents whose numbers are
    /// also greater than `first`. Later purges, which may be uncommitted, stay.
    func takePurgedIDs(after first: Int64, through last: Int64) -> [String] {
        takePurges(after: first, through: last).map(\.document.id)
    }

    /// Removes the recorded purges with numbers up to `last`, and returns those whose numbers are also greater than
    /// `first`. Later purges, which may be uncommitted, stay.
    func takePurges(after first: Int64, through last: Int64) -> [(number: Int64, document: PurgedDocument)] {
        state.withLock { state in
            let taken = state.purges.filter { $0.number > first && $0.number <= last }
            state.purges.removeAll { $0.number <= last }
            return taken
        }
    }

    /// Waits for a sign that there may be changes.
    ///
    /// - Returns: false once the subscription has ended or the task was cancelled, which ends the subscription.
    func wait() async -> Bool {
        let mayContinue = await state.wait { $0.isEnded ? false : $0.isAwake ? true : nil }
        guard let mayContinue, !Task.isCancelled else {
            // A cancelled task won't ask for further changes.
            end()
            return false
        }
        return mayContinue
    }
}

// The states of documents before their changes; see ``EarlierStates``.
extension Subscription {
    /// Announces the states of documents before the changes that a transaction is committing.
    func announce(_ states: [EarlierState]) {
        guard wantsEarlierStates else { return }
        state.withLock { $0.earlier.append(states) }
    }

    /// Discards the recorded states that documents had before changes with sequences greater than `sequence`, because
    /// the changes were rolled back.
    func retractStates(after sequence: Int64) { state.withLock { $0.earlier.retract(after: sequence) } }

    /// Sets the sequence at which the subscription begins, and discards the recorded states that documents had before
    /// changes up to it.
    func begin(at sequence: Int64) { state.withLock { $0.earlier.begin(at: sequence) } }

    /// Sets the sequence up to which the subscriber has read. `isLast` says whether this is the collection's last
    /// sequence. If it is, the recorded states up to it that weren't delivered are discarded: their documents were
    /// purged.
    func advance(to sequence: Int64, isLast: Bool) {
        state.withLock { state in
            state.earlier.advance(to: sequence)
            if isLast { state.earlier.forget(through: sequence) }
        }
    }

    /// Returns the transition of a document from the state that the subscriber knows to its present state.
    ///
    /// - Parameters:
    ///   - id: the document's id.
    ///   - last: the sequence up to which the transition includes changes.
    ///   - sequence: the sequence of the document's row; nil if there is none.
    ///   - after: the present document; nil if it was deleted or purged.
    /// - Returns: the transition.
    func transition(
        _ id: String, through last: Int64, row sequence: Int64?, _ after: Document?
    ) -> DocumentTransition {
        let (before, isReplaced) = state.withLock { $0.earlier.take(id, through: last, row: sequence) }
        return DocumentTransition(
            id: id, before: before.map { $0.body.map { .stored($0) } ?? .missing } ?? .unknown, after: after,
            isReplaced: isReplaced)
    }
}
