internal import SealiteBase
internal import SealiteCredentials

/// A result that tasks wait for. Several callers may set it; only the first call has an effect. Thread-safe.
final class ResultPromise<Value: Sendable>: Sendable {
    private let state = Condition<Result<Value, TransportError>?>(nil)

    /// Sets the result; returns false if there is one already.
    @discardableResult
    func give(_ result: Result<Value, TransportError>) -> Bool {
        state.change { state in
            guard state == nil else { return false }
            state = result
            return true
        }
    }

    /// Waits for the result. Cancelling the task doesn't end the wait; to end it, the caller's cancellation handler
    /// calls `give(_:)`.
    func result() async -> Result<Value, TransportError> {
        while true {
            if let result = state.withLock({ $0 }) { return result }
            await state.waitThroughCancellation { $0 != nil }
        }
    }

    /// Waits for the result and returns its value.
    func value() async throws(TransportError) -> Value { try await result().get() }
}
