internal import Synchronization

/// A state that tasks share, and for which they wait until it is as they need it.
///
/// Tasks are served in the order in which they came: each change lets those go on for which it was enough, and wakes nobody else.
package final class Condition<State: Sendable>: Sendable {
    private typealias Waking = @Sendable () -> Void

    private struct Waiter: Sendable {
        let number: UInt64
        /// Takes what the task came for, if the state is as it needs it, and returns what wakes it.
        let take: @Sendable (inout State) -> Waking?
        /// Wakes a task that gives up.
        let giveUp: Waking
    }

    private struct Inner: Sendable {
        var state: State
        var waiters: [Waiter] = []
        var lastNumber: UInt64 = 0

        /// Serves all for whom the state is enough, until there is nobody left: what one takes may be what another one waits for.
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

    /// Reads the state, or changes it where nobody can have waited for the change.
    package func withLock<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try inner.withLock { try body(&$0.state) }
    }

    /// Changes the state, and wakes the tasks that waited for it.
    @discardableResult
    package func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, wakings) = inner.withLock { inner in (body(&inner.state), inner.serve()) }
        for wake in wakings { wake() }
        return result
    }

    /// Waits until the state is as needed.
    ///
    /// - Parameter take: called with the state locked, now and after each change, until it returns something: takes from the state
    ///   what the task came for. It leaves the state alone where it returns nil.
    /// - Returns: what `take` returned; nil where the task was cancelled before the state was as needed.
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

    /// Waits until the state is as needed, also in a cancelled task: for what comes in any case.
    ///
    /// - Parameter isReady: called with the state locked, now and after each change, until it returns true.
    package func waitThroughCancellation(until isReady: @escaping @Sendable (inout State) -> Bool) async {
        let take = { @Sendable (state: inout State) -> Bool? in isReady(&state) ? true : nil }
        guard case .waits(let number) = begin(take) else { return }
        _ = await enqueue(number, endsWhenCancelled: false, take)
    }

    /// The number of tasks that wait.
    package var waiterCount: Int { inner.withLock { $0.waiters.count } }

    private enum Beginning<Result: Sendable>: Sendable {
        case found(Result)
        /// The number under which the task is to wait.
        case waits(UInt64)
    }

    /// Looks at once: most tasks find what they came for.
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
                // The state may have changed since the first look.
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
