internal import SealiteConcurrency

/// A document that was purged.
struct PurgedDocument {
    let id: String
    /// The document's number, positive.
    let number: Int64
}

/// One follower of one collection, or of what concerns all of them: sleeps until it is woken, cancelled or ended.
final class Subscription: Sendable {
    private struct State {
        var isAwake = false
        var isEnded = false
        /// Purged documents, each with its number among all purges of the collection.
        var purges: [(number: Int64, document: PurgedDocument)] = []
        /// What documents were before they changed.
        var earlier = EarlierStates()
    }

    let database: ObjectIdentifier
    /// The number of the collection; nil for a follower of the schema, and of changes of others.
    let collection: Int?
    /// Whether it wants to know which documents were purged.
    private let namesPurges: Bool
    /// Whether it wants to know what documents were before they changed.
    let wantsEarlierStates: Bool
    private let state = Condition(State())

    init(_ database: Database, collection: Int?, namesPurges: Bool, wantsEarlierStates: Bool) {
        self.database = ObjectIdentifier(database)
        self.collection = collection
        self.namesPurges = namesPurges
        self.wantsEarlierStates = wantsEarlierStates
    }

    /// Tells the follower to look.
    func wake() { state.change { $0.isAwake = true } }

    /// Passes on which documents are being purged, because the database will have no trace of them.
    func announce(_ documents: [PurgedDocument], after number: Int64) {
        guard namesPurges else { return }
        state.withLock { state in
            guard state.purges.count + documents.count <= Transaction.purgeListLimit else { return }
            for (index, document) in documents.enumerated() {
                state.purges.append((number + 1 + Int64(index), document))
            }
        }
    }

    /// Forgets purges that didn't come to be.
    func retract(after number: Int64) {
        state.withLock { state in state.purges.removeAll { $0.number > number } }
    }

    /// Ends the following; only the first end counts.
    func end() { state.change { $0.isEnded = true } }

    /// Falls asleep again before the caller looks, so that what happens while it looks wakes it.
    func willLook() {
        state.withLock { $0.isAwake = false }
    }

    /// The ids of the purges up to a number and after another one. Those that are only announced stay.
    func takePurgedIDs(after first: Int64, through last: Int64) -> [String] {
        takePurges(after: first, through: last).map(\.document.id)
    }

    /// The purges up to a number and after another one, with their numbers. Those that are only announced stay.
    func takePurges(after first: Int64, through last: Int64) -> [(number: Int64, document: PurgedDocument)] {
        state.withLock { state in
            let taken = state.purges.filter { $0.number > first && $0.number <= last }
            state.purges.removeAll { $0.number <= last }
            return taken
        }
    }

    /// Waits until there may be something to see; false when there never will be again.
    func wait() async -> Bool {
        let mayContinue = await state.wait { $0.isEnded ? false : $0.isAwake ? true : nil }
        guard let mayContinue, !Task.isCancelled else {
            // A cancelled task doesn't come back.
            end()
            return false
        }
        return mayContinue
    }
}

// What documents were before they changed; see ``EarlierStates``.
extension Subscription {
    /// Passes on the states that changes which are being committed found documents in.
    func announce(_ states: [EarlierState]) {
        guard wantsEarlierStates else { return }
        state.withLock { $0.earlier.append(states) }
    }

    /// Forgets changes that didn't come to be.
    func retractStates(after sequence: Int64) { state.withLock { $0.earlier.retract(after: sequence) } }

    /// Sets the sequence at which the follower begins.
    func begin(at sequence: Int64) { state.withLock { $0.earlier.begin(at: sequence) } }

    /// Sets the sequence up to which the follower has looked; changes up to it that are left, of documents without a trace, are forgotten where it is the
    /// last one of the collection.
    func advance(to sequence: Int64, isLast: Bool) {
        state.withLock { state in
            state.earlier.advance(to: sequence)
            if isLast { state.earlier.forget(through: sequence) }
        }
    }

    /// Takes what is known of a document's changes and makes the transition to what it is now.
    func transition(
        _ id: String, through last: Int64, row sequence: Int64?, _ after: Document?
    ) -> DocumentTransition {
        let (before, isReplaced) = state.withLock { $0.earlier.take(id, through: last, row: sequence) }
        return DocumentTransition(
            id: id, before: before.map { $0.body.map { .stored($0) } ?? .missing } ?? .unknown, after: after,
            isReplaced: isReplaced)
    }
}
