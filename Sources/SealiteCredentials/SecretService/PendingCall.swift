internal import Dispatch
internal import Synchronization

/// One call on its way to the worker and back. Whoever is first ends it: its result, its time limit, or cancellation.
///
/// Waiting, it ends as soon as it is stopped. Running, it is given a moment to come back by itself, because GLib ends a
/// cancelled call at once; a provider that doesn't even answer that would otherwise hold the caller for D-Bus's own 25
/// seconds, so after that moment the call is abandoned.
final class PendingCall<R: Sendable>: Sendable {
    typealias Outcome = Result<R, CredentialError>

    private enum Phase {
        /// Not begun. Next: running, ended.
        case waiting
        /// The worker is at it. Next: ended.
        case running
        /// The caller has its answer.
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
    /// How long a stopped call may take to come back.
    private static var grace: DispatchTimeInterval { .milliseconds(500) }

    /// Makes a call; `abandon` is called when a running call didn't come back after it was stopped.
    init(_ access: CredentialAccess, abandon: @escaping @Sendable () -> Void) {
        limit = CallLimit(access)
        self.abandon = abandon
    }

    /// Starts the clock for the caller that waits at the continuation.
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

    /// Whether the worker may begin; false when the call has ended already.
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
                // Abandoned first: the caller's next call must not be sent to the worker that is stuck.
                self.end(
                    .failure(self.limit.stopped("the provider answered; what it did is not known")),
                    after: self.abandon)
            }
        }
    }

    /// Gives the caller its answer after some last work, unless it has one. A call that hasn't started waiting yet gets
    /// it when it does.
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
