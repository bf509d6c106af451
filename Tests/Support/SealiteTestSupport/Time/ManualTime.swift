internal import Dispatch
package import SealiteBase
internal import Synchronization

/// A time that goes on when a test says so.
package final class ManualTime: TimeSource {
    private struct Call {
        let number: UInt64
        let due: ContinuousClock.Instant
        let body: @Sendable () -> Void
    }

    private struct State {
        var now = ContinuousClock.now
        var unixMilliseconds: Int64
        var calls: [Call] = []
        var lastNumber: UInt64 = 0
    }

    private let state: Mutex<State>

    /// Makes a time that stands still; its clock shows 2033 where nothing else is said.
    package init(unixSeconds: UInt64 = 2_000_000_000) {
        state = Mutex(State(unixMilliseconds: Int64(unixSeconds) * 1000))
    }

    package var now: ContinuousClock.Instant { state.withLock(\.now) }

    package var unixMilliseconds: Int64 { state.withLock(\.unixMilliseconds) }

    /// The number of calls, timers and tasks that wait for a time to come.
    package var waiterCount: Int { state.withLock { $0.calls.count } }

    /// Lets time pass, and calls what is due, in its order, on this thread; what timers do is on queues of their own.
    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let (seconds, attoseconds) = duration.components
            state.unixMilliseconds += seconds * 1000 + attoseconds / 1_000_000_000_000_000
            let due = state.calls.filter { $0.due <= state.now }
            state.calls.removeAll { $0.due <= state.now }
            return due
        }
        for call in due.sorted(by: { $0.due < $1.due }) { call.body() }
    }

    /// Sets the clock that people set. Nothing becomes due by it.
    package func set(unixSeconds: UInt64) { state.withLock { $0.unixMilliseconds = Int64(unixSeconds) * 1000 } }

    package func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) { _ = add(now + duration, body) }

    package func sleep(until moment: ContinuousClock.Instant) async throws {
        let woken = WaitableState(false)
        let number = add(moment) { woken.change { $0 = true } }
        if await woken.wait({ $0 ? true : nil }) == nil {
            remove(number)
            throw CancellationError()
        }
    }

    package func makeTimer(_ label: String, _ fire: @escaping @Sendable () -> Void) -> any RestartableTimer {
        ManualTimer(self, fire)
    }

    /// Adds a call; one that is due is made at once.
    fileprivate func add(_ due: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, isDue) = state.withLock { state in
            state.lastNumber += 1
            if due > state.now { state.calls.append(Call(number: state.lastNumber, due: due, body: body)) }
            return (state.lastNumber, due <= state.now)
        }
        if isDue { body() }
        return number
    }

    fileprivate func remove(_ number: UInt64) { state.withLock { $0.calls.removeAll { $0.number == number } } }
}

/// A timer of a time that goes on when a test says so.
private final class ManualTimer: RestartableTimer {
    private struct State {
        var number: UInt64?
        var isCancelled = false
    }

    private let time: ManualTime
    private let queue = DispatchQueue(label: "sealite.manual")
    private let fire: @Sendable () -> Void
    private let state = Mutex(State())

    init(_ time: ManualTime, _ fire: @escaping @Sendable () -> Void) { (self.time, self.fire) = (time, fire) }

    deinit { cancel() }

    func set(after duration: Duration, leeway: Duration) {
        state.withLock { state in
            guard !state.isCancelled else { return }
            state.number.map { time.remove($0) }
            state.number = time.add(time.now + duration) { [queue, weak self] in
                // On the queue, for two may be due before the first call is over.
                queue.async { [weak self] in self?.call() }
            }
        }
    }

    func cancel() {
        state.withLock { state in
            state.number.map { time.remove($0) }
            state = State(isCancelled: true)
        }
    }

    private func call() {
        if !state.withLock(\.isCancelled) { fire() }
    }
}
