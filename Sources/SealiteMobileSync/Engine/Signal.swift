internal import Synchronization

/// Wakes one task: a signal that is set while nobody waits is kept, and several are one.
final class Signal: Sendable {
    private struct State {
        var isSet = false
        var isEnded = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    var isEnded: Bool { state.withLock { $0.isEnded } }

    func set() {
        state.withLock {
            $0.isSet = true; return $0.waiter.take()
        }?.resume()
    }

    func end() {
        state.withLock {
            $0.isEnded = true; return $0.waiter.take()
        }?.resume()
    }

    /// Waits for a signal; false once it is ended.
    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                if state.isSet || state.isEnded { return true }
                state.waiter = continuation
                return false
            }
            if isDue { continuation.resume() }
        }
        return state.withLock { state in
            state.isSet = false
            return !state.isEnded
        }
    }
}
