internal import SealiteCredentials
internal import Synchronization

/// A result that one task waits for and several may set; the first one counts. Thread-safe.
final class OneResult<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, TransportError>?
        var waiting: CheckedContinuation<Void, Never>?
    }
    private let state = Mutex(State())

    /// Sets the result; returns false if there is one already.
    @discardableResult
    func give(_ result: Result<Value, TransportError>) -> Bool {
        let (isFirst, waiting) = state.withLock { state in
            guard state.result == nil else { return (false, CheckedContinuation<Void, Never>?.none) }
            state.result = result
            return (true, state.waiting.take())
        }
        waiting?.resume()
        return isFirst
    }

    /// Waits for the result. Cancelling the task doesn't end the wait: the cancellation handler sets a result.
    func result() async -> Result<Value, TransportError> {
        while true {
            if let result = state.withLock({ $0.result }) { return result }
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.result == nil { state.waiting = continuation }
                    return state.result != nil
                }
                if isThere { continuation.resume() }
            }
        }
    }

    /// Waits for the result and returns its value.
    func value() async throws(TransportError) -> Value { try await result().get() }
}
