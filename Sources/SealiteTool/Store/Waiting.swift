import Dispatch
import SealiteCrypto
import SealiteFile
import Synchronization

/// Runs what the library does asynchronously, for a command that has nothing else to do meanwhile. `stop` cancels the work's task.
func waiting<R: Sendable>(
    stoppedBy stop: TaskStop? = nil, _ work: @escaping @Sendable () async throws -> R
) throws -> R {
    let outcome = Outcome<R>()
    let done = DispatchSemaphore(value: 0)
    let task = Task.detached {
        let result: Result<R, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        outcome.result.withLock { $0 = result }
        done.signal()
    }
    stop?.set(task)
    done.wait()
    guard let result = outcome.result.withLock({ $0 }) else {
        throw ToolError(.internalError, code: "internal-error", "the work ended without a result")
    }
    return try result.get()
}

private final class Outcome<R: Sendable>: Sendable {
    let result = Mutex<Result<R, any Error>?>(nil)
}

/// Cancels a task from any thread, also one that begins only afterwards.
final class TaskStop: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    fileprivate func set(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}

/// Carries a secret out of asynchronous work.
final class SecretSlot: Sendable {
    private let content = Mutex<SecretBox?>(nil)

    func put(_ secret: consuming SecretBytes) {
        let box = SecretBox(secret)
        content.withLock { $0 = box }
    }

    func take() -> SecretBytes? { content.withLock { $0 }?.take() }
}

/// Carries a slot's new secret into asynchronous work, once.
final class NewSlotBox: Sendable {
    private let content: Mutex<NewSlotSecret?>

    init(_ secret: consuming NewSlotSecret) { content = Mutex(secret) }

    func take() throws(ToolError) -> NewSlotSecret {
        guard let secret = content.withLock({ $0.take() }) else { throw ToolError.usedTwice }
        return secret
    }
}

/// Carries a key into asynchronous work, once.
final class UnlockBox: Sendable {
    private let content: Mutex<UnlockKey?>

    init(_ key: consuming UnlockKey) { content = Mutex(key) }

    func take() throws(ToolError) -> UnlockKey {
        guard let key = content.withLock({ $0.take() }) else { throw ToolError.usedTwice }
        return key
    }
}

extension ToolError {
    fileprivate static var usedTwice: ToolError {
        ToolError(.internalError, code: "internal-error", "a secret was used twice")
    }
}
