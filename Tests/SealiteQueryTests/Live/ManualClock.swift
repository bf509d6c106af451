import Synchronization

@testable import SealiteQuery

/// A clock that goes on when a test says so.
final class ManualClock: Sendable {
    private struct State {
        var now: Int64 = 1_000_000_000_000
        var timers: [(due: Int64, body: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    var clock: LiveClock {
        LiveClock {
            self.state.withLock(\.now)
        } after: { nanoseconds, body in
            self.state.withLock { $0.timers.append(($0.now + nanoseconds, body)) }
        }
    }

    /// The number of timers that wait.
    var timerCount: Int { state.withLock { $0.timers.count } }

    /// Lets milliseconds pass.
    func advance(_ milliseconds: Int64) {
        let due = state.withLock { state in
            state.now += milliseconds * 1_000_000
            let due = state.timers.filter { $0.due <= state.now }
            state.timers.removeAll { $0.due <= state.now }
            return due
        }
        for timer in due { timer.body() }
    }
}
