internal import SealiteBase
internal import SealiteFile
internal import Synchronization

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
