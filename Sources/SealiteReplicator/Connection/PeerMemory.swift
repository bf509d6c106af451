internal import Synchronization

/// Counts the memory that all connections of one replication service use for their peers. Thread-safe.
///
/// Above the limit, a connection that uses more than `reserve` stops reading until there is room again, and large
/// messages are answered with 503. Each connection can therefore always continue in small steps, and the total stays
/// near the limit.
final class PeerMemory: Sendable {
    /// The number of bytes that each connection may use, however much memory other connections use.
    static let reserve = 128 << 10

    private struct State {
        var total = 0
        var waiting: [UInt64: @Sendable () -> Void] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// The number of bytes that all connections use.
    var total: Int { state.withLock { $0.total } }
    /// The number of bytes that may still be used; negative above the limit.
    var free: Int { state.withLock { limit - $0.total } }
    /// A Boolean value that says whether all connections together use more than the limit.
    var isExhausted: Bool { free < 0 }

    /// Adds to the number of bytes in use; a negative number frees memory. Calls the waiting closures if there is room
    /// again.
    func add(_ byteCount: Int) {
        let woken = state.withLock { state -> [@Sendable () -> Void] in
            state.total += byteCount
            assert(state.total >= 0, "each byte is counted once")
            guard byteCount < 0, state.total <= limit, !state.waiting.isEmpty else { return [] }
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        for wake in woken { wake() }
    }

    /// The number of closures that wait for memory.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Calls `wake` as soon as no more memory than the limit is in use, which may be immediately.
    ///
    /// - Returns: a number to pass to `forget`.
    @discardableResult
    func whenFree(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, isFree) = state.withLock { state in
            state.lastNumber += 1
            guard state.total > limit else { return (state.lastNumber, true) }
            assert(state.waiting[state.lastNumber] == nil)
            state.waiting[state.lastNumber] = wake
            return (state.lastNumber, false)
        }
        if isFree { wake() }
        return number
    }

    /// Removes a closure that was passed to `whenFree`, given its number, if it hasn't been called.
    func forget(_ number: UInt64) { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }

    /// Returns the maximum number of bytes for unfinished messages of a connection that uses `counted` bytes,
    /// `collected` of them for such messages.
    ///
    /// If all other connections together use at most half of the limit, the result is `Int.max`, so that a message of
    /// any permitted size may be received, even if it is larger than the limit.
    func roomForMessages(collected: Int, counted: Int) -> Int {
        state.withLock { state in
            state.total - counted <= limit / 2 ? .max : max(2 * Self.reserve, limit - state.total + collected)
        }
    }

    /// Returns the maximum number of bytes of one connection's revisions that wait for attachments. `waiting` is the
    /// number of bytes that such revisions of the connection use now.
    func roomForAttachmentWaits(_ waiting: Int) -> Int {
        assert(waiting >= 0)
        return max(2 * Self.reserve, min(limit / 8, free + waiting))
    }
}
