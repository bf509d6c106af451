internal import SealiteBase
internal import SealiteJSON

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
    /// A Boolean value that says whether changes of other processes wake the subscription, for which the database polls.
    let isPolled: Bool
    private let state = WaitableState(State())

    init(_ database: Database, collection: Int?, namesPurges: Bool, wantsEarlierStates: Bool, isPolled: Bool) {
        self.database = ObjectIdentifier(database)
        self.collection = collection
        self.namesPurges = namesPurges
        self.wantsEarlierStates = wantsEarlierStates
        self.isPolled = isPolled
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

    // MARK: - The states of documents before their changes

    // See ``EarlierStates``.

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

/// The content of documents before their changes, for a subscription that reports the differences.
///
/// A document can change many times between two deliveries, changes are announced before they are committed, and other
/// processes announce nothing. So a state counts only if the subscriber knows it: the state at the position of the last
/// delivery, or the state that was delivered last.
struct EarlierStates: Sendable {
    private struct Entry {
        let state: EarlierState
        /// A Boolean value that says whether the subscriber knows this state of the document; true at most for the
        /// first entry of a document.
        var isKnown: Bool
    }

    private var entries: [ExactText: [Entry]] = [:]
    private var byteCount = 0
    /// A Boolean value that says whether a state was left out because of the limit. Until the others are delivered, a
    /// document without an earlier row may be one whose state was left out.
    private var isIncomplete = false
    /// The sequence up to which the subscriber has read; nil while it isn't known.
    private var position: Int64?

    /// Adds states in the order of their changes. States beyond the limit of memory are left out.
    mutating func append(_ states: [EarlierState]) {
        for state in states {
            guard byteCount + state.byteCount <= EarlierState.byteLimit else {
                isIncomplete = true
                continue
            }
            byteCount += state.byteCount
            assert(byteCount <= EarlierState.byteLimit)
            let id = ExactText(state.id)
            let isFirst = entries[id] == nil
            entries[id, default: []].append(Entry(state: state, isKnown: isFirst && isKnown(state)))
        }
    }

    private func isKnown(_ state: EarlierState) -> Bool {
        guard let oldSequence = state.oldSequence else { return !isIncomplete }
        return position.map { oldSequence <= $0 } ?? false
    }

    /// Discards the recorded states that documents had before changes with sequences greater than `sequence`, because
    /// the changes were rolled back.
    mutating func retract(after sequence: Int64) {
        for (id, list) in entries { keep(list.filter { $0.state.newSequence <= sequence }, id, of: list) }
    }

    /// Sets the sequence at which the subscription begins, and discards the recorded states that documents had before
    /// changes up to it.
    mutating func begin(at sequence: Int64) {
        position = sequence
        forget(through: sequence)
        for (id, list) in entries {
            var list = list
            list[0].isKnown = isKnown(list[0].state)
            entries[id] = list
        }
    }

    /// Sets the sequence up to which the subscriber has read.
    mutating func advance(to sequence: Int64) { position = max(sequence, position ?? sequence) }

    /// Discards the recorded states that documents had before the changes with sequences up to `sequence`.
    mutating func forget(through sequence: Int64) {
        for (id, list) in entries { keep(list.filter { $0.state.newSequence > sequence }, id, of: list) }
    }

    /// Removes the states before the changes of a document that is being delivered, and returns the first one.
    ///
    /// - Parameters:
    ///   - id: the document's id.
    ///   - last: the sequence up to which the delivery includes changes.
    ///   - sequence: the sequence of the delivered row; nil if there is none.
    /// - Returns: the state of the document that the subscriber knows, nil if that state isn't recorded, and whether a
    ///   change after it replaced the whole document.
    mutating func take(_ id: String, through last: Int64, row sequence: Int64?) -> (
        state: EarlierState?, isReplaced: Bool
    ) {
        let id = ExactText(id)
        guard let list = entries[id] else { return (nil, false) }
        assert(!list.isEmpty, "an id without states isn't listed")
        let taken = list.prefix { $0.state.newSequence <= last }
        var rest = Array(list.dropFirst(taken.count))
        if let next = rest.first { rest[0].isKnown = next.state.oldSequence == sequence }
        keep(rest, id, of: list)
        return (taken.first.flatMap { $0.isKnown ? $0.state : nil }, taken.contains { $0.state.isReplacement })
    }

    private mutating func keep(_ rest: [Entry], _ id: ExactText, of list: [Entry]) {
        guard rest.count < list.count else {
            entries[id] = rest
            return
        }
        func size(_ list: [Entry]) -> Int { list.reduce(0) { $0 + $1.state.byteCount } }
        byteCount -= size(list) - size(rest)
        assert(byteCount >= 0, "each state counts once")
        entries[id] = rest.isEmpty ? nil : rest
        assert(!entries.isEmpty || byteCount == 0, "each state counts once")
        if entries.isEmpty { isIncomplete = false }
    }
}

/// Records the states of documents before a transaction changes them, if a subscription to their collection needs them.
final class EarlierStateObserver: RowObserver {
    private var noted: EarlierState?

    var readsOldBody: Bool { true }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) -> Bool {
        let old = change.old.flatMap { $0.flags.contains(.deleted) ? nil : $0.body ?? Document.emptyBody }
        noted = EarlierState(
            id: change.id, oldSequence: change.old?.sequence, body: old,
            newSequence: change.new?.sequence ?? transaction.state(of: change.collection)?.lastSequence ?? 0,
            isReplacement: transaction.isReplacing)
        return true
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) {
        if let noted { transaction.note(noted, in: change.collection) }
        noted = nil
    }
}

extension Database {
    /// Runs `body` in the calling thread's transaction and marks the documents that it saves as replaced, not edited,
    /// for subscriptions that distinguish the two. Outside of a transaction, `body` runs and nothing is marked.
    package func replacing<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let transaction = writer.current else { return try body() }
        let before = transaction.isReplacing
        transaction.isReplacing = true
        defer { transaction.isReplacing = before }
        return try body()
    }
}
