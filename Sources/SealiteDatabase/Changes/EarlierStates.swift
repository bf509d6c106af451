internal import SealiteJSON

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
