internal import SealiteCredentials
internal import Synchronization

/// A result that several may give and one task waits for; the first counts. Thread-safe.
final class OneResult<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, TransportError>?
        var waiting: CheckedContinuation<Void, Never>?
    }
    private let state = Mutex(State())

    /// Gives the result; false if there was one before.
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

    /// Waits for the result. Cancelling the task does not end the wait: who cancels gives a result.
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

    /// The value, when it is there.
    func value() async throws(TransportError) -> Value { try await result().get() }
}
