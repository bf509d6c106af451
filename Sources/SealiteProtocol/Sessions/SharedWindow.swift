/// A window that the collections of a connection share: what they have in progress stays near a limit together, and they
/// take turns while the limit is reached.
///
/// A collection that wants more asks `admits(_:)`. If the window has no room, or others wait already, the collection waits
/// for its turn, which the session gives to one after another: `beginTurn()`.
struct SharedWindow: Sendable {
    /// An amount of work in progress: a number of things, and of their bytes.
    struct Amount: Sendable, Equatable {
        var count = 0
        var byteCount: UInt64 = 0
    }

    /// The amounts at which no collection begins more.
    private let limit: Amount
    private(set) var total = Amount()
    private var shares: [Int: Amount] = [:]
    private var waiting = Queue<Int>()
    private var isWaiting: Set<Int> = []
    /// The collection whose turn it is; nil if there is none, or it has begun something.
    private var turn: Int?

    init(count: Int, byteCount: UInt64 = .max) { limit = Amount(count: count, byteCount: byteCount) }

    private var hasRoom: Bool { total.count < limit.count && total.byteCount < limit.byteCount }

    /// Sets what a collection has in progress.
    mutating func setShare(of collection: Int, to amount: Amount) {
        assert(amount.count >= 0)
        let old = shares[collection] ?? Amount()
        guard amount != old else { return }
        total.count += amount.count - old.count
        total.byteCount = total.byteCount - old.byteCount + amount.byteCount
        shares[collection] = amount == Amount() ? nil : amount
        assert(total.count >= amount.count && total.byteCount >= amount.byteCount, "each share counts once")
        assert(!shares.isEmpty || total == Amount(), "each share counts once")
    }

    /// Returns whether a collection may begin more now. Otherwise it waits for its turn.
    mutating func admits(_ collection: Int) -> Bool {
        if turn == collection {
            turn = nil
            return true
        }
        if hasRoom, waiting.isEmpty { return true }
        if isWaiting.insert(collection).inserted { waiting.append(collection) }
        return false
    }

    /// Gives the turn to the collection that has waited longest, and returns it; nil if none waits or there is no room.
    mutating func beginTurn() -> Int? {
        assert(turn == nil, "one collection has the turn at a time")
        guard hasRoom, let collection = waiting.popFirst() else { return nil }
        isWaiting.remove(collection)
        assert(waiting.count == isWaiting.count, "a collection waits once")
        turn = collection
        return collection
    }

    /// Ends the turn that `beginTurn()` has given.
    mutating func endTurn() { turn = nil }
}
