internal import SealiteBase
internal import SealiteFile
internal import Synchronization

/// The thread that calls the provider. libsecret's calls block, so they run on a separate serial queue, one at a time,
/// and never on the cooperative pool.
actor SecretServiceWorker {
    private let executor = Offload("secret-service")
    private let context = MainContext()
    private var link: SecretServiceLink?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The worker of this process. It has one connection, because some providers ask the person once for each
    /// connection.
    private static let shared = Mutex(SecretServiceWorker())

    /// Runs a call on the worker and waits for it within its limit. The body runs a second time if the provider ended
    /// during the call and another one is available.
    static func perform<R: Sendable>(
        _ access: CredentialAccess, time: any TimeSource = SystemTime(),
        _ body: @escaping @Sendable (SecretServiceLink, CallLimit) throws(CredentialError) -> R
    ) async throws(CredentialError) -> R {
        try SecretLibrary.load()
        let worker = shared.withLock { $0 }
        let call = PendingCall<R>(access, time: time) {
            // The queue is blocked by a call that can't be ended. Later calls get a new queue.
            shared.withLock { if $0 === worker { $0 = SecretServiceWorker() } }
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                call.start(continuation)
                Task { await worker.run(call, body) }
            }
        } onCancel: {
            call.stop(.cancelled)
        }
        return try outcome.get()
    }

    private func run<R: Sendable>(
        _ call: PendingCall<R>,
        _ body: @Sendable (SecretServiceLink, CallLimit) throws(CredentialError) -> R
    ) {
        guard call.begin() else { return }
        context.push()
        defer { context.pop() }
        call.end(attempt(call.limit, body))
    }

    private func attempt<R>(
        _ limit: CallLimit, _ body: (SecretServiceLink, CallLimit) throws(CredentialError) -> R
    ) -> Result<R, CredentialError> {
        do throws(CredentialError) {
            do throws(CredentialError) {
                return .success(try body(try currentLink(limit), limit))
            } catch {
                // If the link was open when the call began and the provider has ended since, the call is tried a second
                // time. The failure of a stopped call isn't evidence about the link.
                guard let old = link, error.code != .timedOut, error.code != .cancelled else { throw error }
                if error.code != .noProvider, try old.isCurrent(limit) { throw error }
                link = nil
                return .success(try body(try currentLink(limit), limit))
            }
        } catch {
            return .failure(error)
        }
    }

    /// Returns a link to the provider that owns the bus name now.
    private func currentLink(_ limit: CallLimit) throws(CredentialError) -> SecretServiceLink {
        if let link, try link.isCurrent(limit) { return link }
        link = nil
        let new = try SecretServiceLink(limit)
        link = new
        return new
    }
}
