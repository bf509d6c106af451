internal import Synchronization

/// A state that is shared by tasks, which can wait until it satisfies a condition.
///
/// Waiting tasks are served in the order of their arrival: each change resumes the tasks whose condition it satisfies,
/// and wakes no other task.
package final class WaitableState<State: Sendable>: Sendable {
    private typealias Waking = @Sendable () -> Void

    private struct Waiter: Sendable {
        let number: UInt64
        /// A function that takes the value that the task waits for from the state, and returns the closure that resumes
        /// the task with it; nil if the state doesn't satisfy the condition.
        let take: @Sendable (inout State) -> Waking?
        /// A function that resumes the task without a value, because the task was cancelled.
        let giveUp: Waking
    }

    private struct Inner: Sendable {
        var state: State
        var waiters: [Waiter] = []
        var lastNumber: UInt64 = 0

        /// Removes all waiting tasks whose condition the state satisfies, and returns the closures that resume them. It
        /// looks through the tasks again after each one, since the change by one task may satisfy the condition of
        /// another.
        mutating func serve() -> [Waking] {
            var wakings: [Waking] = []
            var index = 0
            while index < waiters.count {
                if let waking = waiters[index].take(&state) {
                    waiters.remove(at: index)
                    wakings.append(waking)
                    index = 0
                } else {
                    index += 1
                }
            }
            return wakings
        }
    }

    private let inner: Mutex<Inner>

    package init(_ state: State) { inner = Mutex(Inner(state: state)) }

    /// Calls `body` with the state and returns its result, without waking tasks. Changes are allowed only if no task
    /// can be waiting for them.
    package func withLock<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try inner.withLock { try body(&$0.state) }
    }

    /// Calls `body`, which changes the state, resumes the tasks whose condition is then satisfied, and returns the
    /// result of `body`.
    @discardableResult
    package func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, wakings) = inner.withLock { inner in (body(&inner.state), inner.serve()) }
        for wake in wakings { wake() }
        return result
    }

    /// Waits until the state satisfies a condition.
    ///
    /// - Parameter take: called under the lock, immediately and after each change, until it returns a value. It takes
    /// the value that the task waits for from the state, or leaves the state unchanged and returns nil.
    /// - Returns: the value of `take`; nil if the task was cancelled first.
    package func wait<Result: Sendable>(_ take: @escaping @Sendable (inout State) -> Result?) async -> Result? {
        switch begin(take) {
        case .found(let result): return result
        case .waits(let number):
            return await withTaskCancellationHandler {
                await enqueue(number, endsWhenCancelled: true, take)
            } onCancel: {
                giveUp(number)
            }
        }
    }

    /// Waits until the state satisfies a condition, even if the task is cancelled: for events that are certain to
    /// happen.
    ///
    /// - Parameter isReady: called under the lock, immediately and after each change, until it returns true.
    package func waitThroughCancellation(until isReady: @escaping @Sendable (inout State) -> Bool) async {
        let take = { @Sendable (state: inout State) -> Bool? in isReady(&state) ? true : nil }
        guard case .waits(let number) = begin(take) else { return }
        _ = await enqueue(number, endsWhenCancelled: false, take)
    }

    /// The number of tasks that are waiting now.
    package var waiterCount: Int { inner.withLock { $0.waiters.count } }

    private enum Beginning<Result: Sendable>: Sendable {
        case found(Result)
        /// The state doesn't satisfy the condition yet. The number identifies the task among the waiting tasks.
        case waits(UInt64)
    }

    /// Calls `take` once before the task is registered as a waiting one, because most tasks find their condition
    /// satisfied.
    private func begin<Result: Sendable>(_ take: @Sendable (inout State) -> Result?) -> Beginning<Result> {
        let (beginning, wakings) = inner.withLock { inner -> (Beginning<Result>, [Waking]) in
            if let result = take(&inner.state) { return (.found(result), inner.serve()) }
            inner.lastNumber += 1
            return (.waits(inner.lastNumber), [])
        }
        for wake in wakings { wake() }
        return beginning
    }

    private func enqueue<Result: Sendable>(
        _ number: UInt64, endsWhenCancelled: Bool, _ take: @escaping @Sendable (inout State) -> Result?
    ) async -> Result? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Result?, Never>) in
            let waiter = Waiter(number: number) { state in
                guard let result = take(&state) else { return nil }
                return { continuation.resume(returning: result) }
            } giveUp: {
                continuation.resume(returning: nil)
            }
            let wakings = inner.withLock { inner -> [Waking] in
                inner.waiters.append(waiter)
                // The state may have changed since the first try.
                var wakings = inner.serve()
                // A cancellation before this line found no waiter; one after it will.
                if endsWhenCancelled, Task.isCancelled, inner.waiters.last?.number == number {
                    inner.waiters.removeLast()
                    wakings.append(waiter.giveUp)
                }
                return wakings
            }
            for wake in wakings { wake() }
        }
    }

    private func giveUp(_ number: UInt64) {
        let waiter = inner.withLock { inner in
            inner.waiters.firstIndex { $0.number == number }.map { inner.waiters.remove(at: $0) }
        }
        waiter?.giveUp()
    }
}
