internal import Dispatch
internal import Synchronization

/// A call on its way to the worker and back. The first of three events ends it: its result, its time limit, or
/// cancellation.
///
/// A waiting call ends as soon as it is stopped. A running call gets a moment to return by itself, because GLib ends a
/// cancelled call at once. A provider that doesn't even answer the cancellation would otherwise block the caller for
/// D-Bus's own 25 seconds, so after that moment the call is abandoned.
final class PendingCall<R: Sendable>: Sendable {
    typealias Outcome = Result<R, CredentialError>

    private enum Phase {
        /// The call hasn't started. Next: running, ended.
        case waiting
        /// The worker runs the call. Next: ended.
        case running
        /// The caller has its result.
        case ended
    }

    private struct State {
        var phase = Phase.waiting
        var isStopped = false
        var continuation: CheckedContinuation<Outcome, Never>?
    }

    let limit: CallLimit
    private let state = Mutex(State())
    private let abandon: @Sendable () -> Void
    /// The time that a stopped call may take to return.
    private static var grace: DispatchTimeInterval { .milliseconds(500) }

    /// Creates a call; `abandon` is called if a running call doesn't return after it was stopped.
    init(_ access: CredentialAccess, abandon: @escaping @Sendable () -> Void) {
        limit = CallLimit(access)
        self.abandon = abandon
    }

    /// Starts the time limit for the caller that waits at the continuation.
    func start(_ continuation: CheckedContinuation<Outcome, Never>) {
        let isStopped = state.withLock { state in
            state.continuation = continuation
            return state.isStopped
        }
        guard !isStopped else {
            end(.failure(limit.stopped("it began")))
            return
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.access.timeLimit.dispatchInterval) { [weak self] in
            self?.stop(.timedOut)
        }
    }

    /// Starts the call.
    ///
    /// - Returns: false if the call has ended already.
    func begin() -> Bool {
        state.withLock { state in
            guard state.phase == .waiting, !state.isStopped else { return false }
            state.phase = .running
            return true
        }
    }

    /// Stops the call.
    func stop(_ code: CredentialError.Code) {
        let phase = state.withLock { state in
            state.isStopped = true
            return state.phase
        }
        limit.stop(code)
        switch phase {
        case .ended: return
        case .waiting: end(.failure(limit.stopped("other calls of this process to the provider were done")))
        case .running:
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.grace) { [weak self] in
                guard let self else { return }
                // Abandoned first, because the caller's next call must not be sent to the blocked worker.
                self.end(
                    .failure(self.limit.stopped("the provider answered; the outcome is unknown")),
                    after: self.abandon)
            }
        }
    }

    /// Delivers the result to the caller after some final work, unless the caller has a result already. A caller that
    /// doesn't wait yet gets the result when it does.
    func end(_ outcome: Outcome, after work: () -> Void = {}) {
        let continuation = state.withLock { state in
            let continuation = state.continuation
            state.continuation = nil
            if continuation != nil { state.phase = .ended }
            return continuation
        }
        guard let continuation else { return }
        work()
        continuation.resume(returning: outcome)
    }
}
