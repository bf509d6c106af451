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
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Bytes that all connections hold now.
    var total: Int { state.withLock { $0.total } }
    /// Bytes that may still be held; negative above the limit.
    var free: Int { state.withLock { limit - $0.total } }
    /// Whether the limit is exceeded.
    var isExhausted: Bool { free < 0 }

    /// Changes the number of bytes that are held, and calls those that wait for room if there is some again.
    func add(_ byteCount: Int) {
        let woken = state.withLock { state -> [@Sendable () -> Void] in
            state.total += byteCount
            guard byteCount < 0, state.total <= limit, !state.waiting.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for wake in woken { wake() }
    }

    /// Calls `wake` once the limit isn't exceeded: at once if it isn't now.
    func whenFree(_ wake: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            guard state.total > limit else { return true }
            state.waiting.append(wake)
            return false
        }
        if isFree { wake() }
    }
}
