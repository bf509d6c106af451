internal import Dispatch
internal import SealiteDatabase
internal import Synchronization

/// The result that an asynchronous call waits for, or whose rows a program reads, so that a cancellation reaches it.
package final class Running: Sendable {
    private struct State {
        var results: ResultSet?
        var isCancelled = false
    }

    private static let cancelled = DatabaseError(.cancelled, "the query was cancelled")
    private let state = Mutex(State())

    package init() {}

    /// Takes the result once there is one. It is interrupted if the cancellation came before.
    package func set(_ results: ResultSet) {
        let isCancelled = state.withLock { state in
            state.results = results
            return state.isCancelled
        }
        if isCancelled { results.interrupt(Self.cancelled) }
    }

    /// Makes reading the result fail with the error `cancelled`. Any thread may call this.
    package func cancel() {
        let results = state.withLock { state in
            state.isCancelled = true
            return state.results
        }
        results?.interrupt(Self.cancelled)
    }
}

extension ResultSet {
    /// Interrupts the reading once a time has passed, unless the result is gone by then.
    func interrupt(after limit: Duration) {
        let (seconds, attoseconds) = limit.components
        let time = DispatchTime.now() + Double(seconds) + Double(attoseconds) / 1e18
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: time) { [weak self] in
            self?.interrupt(DatabaseError(.cancelled, "the query took longer than its time limit"))
        }
    }
}
