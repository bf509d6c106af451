internal import SealiteJSON

/// The state that a change found a document's row in.
struct EarlierState: Sendable {
    /// The document's id.
    let id: String
    /// The sequence of the row before the change; nil where there was none.
    let oldSequence: Int64?
    /// The properties before the change; nil where there was no live document.
    let body: [UInt8]?
    /// The sequence of the row after the change, or of the collection's last change where the row was removed.
    let newSequence: Int64
    /// True where the whole document was replaced by another one, not edited.
    let isReplacement: Bool

    /// The memory that the state takes, by estimate.
    var byteCount: Int { 128 + (body?.count ?? 0) }
}

/// The states that changes found documents in, for a follower who wants to know what changed in them.
///
/// Documents change many times between two looks, some changes are announced before they are committed, and other processes announce nothing. So a state counts only where
/// it is the one that the follower knows: that of the position up to which it has looked, or of the delivery before.
struct EarlierStates: Sendable {
    private struct Entry {
        let state: EarlierState
        /// True for the first state of a document where the follower knows it.
        var isKnown: Bool
    }

    /// The bytes of states that are kept. What comes beyond is unknown.
    static let byteLimit = 16 * 1024 * 1024

    private var entries: [ExactText: [Entry]] = [:]
    private var byteCount = 0
    /// The sequence up to which the follower has looked; nil while that isn't known.
    private var position: Int64?

    /// Adds states in the order of their changes.
    mutating func append(_ states: [EarlierState]) {
        for state in states {
            guard byteCount + state.byteCount <= Self.byteLimit else { continue }
            byteCount += state.byteCount
            let id = ExactText(state.id)
            let isFirst = entries[id] == nil
            entries[id, default: []].append(Entry(state: state, isKnown: isFirst && isKnown(state)))
        }
    }

    private func isKnown(_ state: EarlierState) -> Bool {
        guard let oldSequence = state.oldSequence else { return true }
        return position.map { oldSequence <= $0 } ?? false
    }

    /// Forgets changes that didn't come to be.
    mutating func retract(after sequence: Int64) {
        for (id, list) in entries { keep(list.filter { $0.state.newSequence <= sequence }, id, of: list) }
    }

    /// Sets the sequence at which the follower begins.
    mutating func begin(at sequence: Int64) {
        position = sequence
        forget(through: sequence)
        for (id, list) in entries {
            var list = list
            list[0].isKnown = isKnown(list[0].state)
            entries[id] = list
        }
    }

    /// Sets the sequence up to which the follower has looked.
    mutating func advance(to sequence: Int64) { position = max(sequence, position ?? sequence) }

    /// Forgets the changes up to a sequence.
    mutating func forget(through sequence: Int64) {
        for (id, list) in entries { keep(list.filter { $0.state.newSequence > sequence }, id, of: list) }
    }

    /// Takes the changes of a document that is being delivered.
    ///
    /// - Parameters:
    ///   - id: the document's id.
    ///   - last: the sequence up to which changes are in what is delivered.
    ///   - sequence: the sequence of the row that is delivered; nil where there is none.
    /// - Returns: the state that the follower knows, nil where that is unknown, and whether a change since replaced the whole document.
    mutating func take(_ id: String, through last: Int64, row sequence: Int64?) -> (
        state: EarlierState?, isReplaced: Bool
    ) {
        let id = ExactText(id)
        guard let list = entries[id] else { return (nil, false) }
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
        entries[id] = rest.isEmpty ? nil : rest
    }
}

/// Notes the states that a transaction finds documents in, while someone follows their collection who wants to know.
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
