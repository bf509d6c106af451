import Dispatch
import Synchronization

/// Runs an asynchronous operation of the library and waits for its result. `stop` allows another thread to cancel the
/// operation's task.
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
        throw ToolError(.internalError, code: "internal-error", "an asynchronous operation ended without a result")
    }
    return try result.get()
}

private final class Outcome<R: Sendable>: Sendable {
    let result = Mutex<Result<R, any Error>?>(nil)
}

/// Cancels a task from any thread, even if the task starts only afterwards.
final class TaskStop: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func set(_ task: Task<Void, Never>) {
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
