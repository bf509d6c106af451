internal import Synchronization

/// Counts the bytes that all connections of one service hold for their peers, together. Thread-safe.
///
/// Above the limit a connection that holds more than `reserve` stops reading until there is room again, and large messages are
/// answered with 503. So each connection can always go on in small steps, and the whole stays near the limit.
final class PeerMemory: Sendable {
    /// Bytes that each connection may hold whatever the others do.
    static let reserve = 128 << 10

    private struct State {
        var total = 0
        var waiting: [UInt64: @Sendable () -> Void] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Bytes that all connections hold now.
    var total: Int { state.withLock { $0.total } }
    /// Bytes that may still be held; negative above the limit.
    var free: Int { state.withLock { limit - $0.total } }
    /// A Boolean value that says whether the limit is exceeded.
    var isExhausted: Bool { free < 0 }

    /// Changes the number of bytes that are held, and calls those that wait for room if there is some again.
    func add(_ byteCount: Int) {
        let woken = state.withLock { state -> [@Sendable () -> Void] in
            state.total += byteCount
            guard byteCount < 0, state.total <= limit, !state.waiting.isEmpty else { return [] }
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        for wake in woken { wake() }
    }

    /// The number of those that wait for room.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Calls `wake` once the limit isn't exceeded: at once if it isn't now.
    ///
    /// - Returns: what `forget` takes.
    @discardableResult
    func whenFree(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, isFree) = state.withLock { state in
            state.lastNumber += 1
            guard state.total > limit else { return (state.lastNumber, true) }
            state.waiting[state.lastNumber] = wake
            return (state.lastNumber, false)
        }
        if isFree { wake() }
        return number
    }

    /// Forgets one that waits, if it still does.
    func forget(_ number: UInt64) { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }

    /// Most bytes that unfinished messages of a connection may take, which counts `counted` bytes, `collected` of them for such.
    ///
    /// Whoever finds less than half of the memory taken by others may receive a message of any size that is allowed: else one
    /// that is larger than the room which the connection leaves itself would be refused for ever.
    func roomForMessages(collected: Int, counted: Int) -> Int {
        state.withLock { state in
            state.total - counted <= limit / 2 ? .max : max(2 * Self.reserve, limit - state.total + collected)
        }
    }

    /// Most bytes of revisions of a connection that may wait for attachments, where `waiting` bytes do now.
    func roomForAttachmentWaits(_ waiting: Int) -> Int {
        max(2 * Self.reserve, min(limit / 8, free + waiting))
    }
}
