internal import SealiteBase
internal import SealiteFile
internal import Synchronization

/// A D-Bus call that the worker thread executes for a task. The first of three events ends the call: its result, its
/// time limit, or the cancellation of the task.
///
/// Reaching the time limit and cancellation both *stop* the call. If the worker thread hasn't started a stopped call,
/// the call ends immediately. If the call is running, it is cancelled through GLib, which normally makes it return at
/// once; if it hasn't returned after ``grace`` (500 ms), it is abandoned together with the worker thread. Otherwise an
/// unresponsive provider would block the caller for D-Bus's default timeout, 25 seconds.
final class PendingCall<R: Sendable>: Sendable {
    typealias Outcome = Result<R, CredentialError>

    private enum Phase {
        /// The worker thread hasn't started the call. The next phase is `running` or `ended`.
        case waiting
        /// The worker thread executes the call. The next phase is `ended`.
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
    private let time: any TimeSource
    private let abandon: @Sendable () -> Void
    /// The time after which a stopped call that is running is abandoned.
    private static var grace: Duration { .milliseconds(500) }

    /// Creates a call; `abandon` is called if a running call hasn't returned 500 ms after it was stopped.
    init(_ access: CredentialAccess, time: any TimeSource, abandon: @escaping @Sendable () -> Void) {
        limit = CallLimit(access)
        self.time = time
        self.abandon = abandon
    }

    /// Sets the continuation to resume with the call's result, and starts the time limit. Ends the call at once if it
    /// was stopped before.
    func start(_ continuation: CheckedContinuation<Outcome, Never>) {
        let isStopped = state.withLock { state in
            state.continuation = continuation
            return state.isStopped
        }
        guard !isStopped else {
            end(.failure(limit.stopped("the call began")))
            return
        }
        time.after(limit.access.timeLimit) { [weak self] in self?.stop(.timedOut) }
    }

    /// Changes the phase from `waiting` to `running`; called by the worker thread.
    ///
    /// - Returns: false if the call was stopped or has ended, so that the thread must not execute it.
    func begin() -> Bool {
        state.withLock { state in
            guard state.phase == .waiting, !state.isStopped else { return false }
            state.phase = .running
            return true
        }
    }

    /// Stops the call, because of its time limit or cancellation.
    func stop(_ code: CredentialError.Code) {
        // First, since `start` asks for the cause as soon as it sees that the call was stopped.
        limit.stop(code)
        let phase = state.withLock { state in
            state.isStopped = true
            return state.phase
        }
        switch phase {
        case .ended: return
        case .waiting: end(.failure(limit.stopped("other calls of this process to the Secret Service finished")))
        case .running:
            time.after(Self.grace) { [weak self] in
                guard let self else { return }
                // Abandoned first, because the caller's next call must not be sent to the blocked worker.
                self.end(
                    .failure(self.limit.stopped("the Secret Service answered; the outcome is unknown")),
                    after: self.abandon)
            }
        }
    }

    /// Performs `work` and resumes the caller with the call's result; does nothing if the caller has a result already,
    /// or hasn't set its continuation yet.
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

/// The conditions of one call to the Secret Service: the GCancellable that stops it, its rule for prompts, and the
/// reason if it was stopped.
final class CallLimit: Sendable {
    let access: CredentialAccess
    let cancellable = Cancellable()
    private let cause = Mutex<CredentialError.Code?>(nil)

    init(_ access: CredentialAccess) {
        self.access = access
    }

    var allowsInteraction: Bool { access.allowsInteraction }

    /// Stops the blocking call that runs under this limit, with the code of the reason. Only the first reason is kept.
    func stop(_ code: CredentialError.Code) {
        cause.withLock { $0 = $0 ?? code }
        cancellable.cancel()
    }

    /// Returns the error of a call that was stopped; `what` names the step that the call didn't reach.
    func stopped(_ what: String) -> CredentialError {
        if cause.withLock({ $0 }) == .cancelled {
            return CredentialError(.cancelled, "the call was cancelled before \(what)")
        }
        return CredentialError(
            .timedOut, "the time limit of \(access.timeLimit.formattedSeconds) passed before \(what)",
            hint: allowsInteraction
                ? "answer the prompt in time, or unlock the keyring first"
                : CredentialRemedy.waitForStore.hint)
    }
}

extension Duration {
    /// The duration for messages: `10 s` for whole seconds, otherwise milliseconds as in `1500 ms`.
    var formattedSeconds: String {
        milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
