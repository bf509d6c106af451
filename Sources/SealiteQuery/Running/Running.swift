internal import SealiteBase
internal import SealiteDatabase
internal import Synchronization

/// A cancellation flag for a query that runs for a task, with the result set that is interrupted when the task is
/// cancelled.
package final class Running: Sendable {
    private struct State {
        var results: ResultSet?
        var isCancelled = false
    }

    private static let cancelled = DatabaseError(.cancelled, "the query was cancelled")
    private let state = Mutex(State())

    package init() {}

    /// Sets the result set of the query, which `cancel()` interrupts; at once if it was called before.
    package func set(_ results: ResultSet) {
        let isCancelled = state.withLock { state in
            state.results = results
            return state.isCancelled
        }
        if isCancelled { results.interrupt(Self.cancelled) }
    }

    /// Ends the reading of the query's result, with the error `cancelled`. May be called from any thread.
    package func cancel() {
        let results = state.withLock { state in
            state.isCancelled = true
            return state.results
        }
        results?.interrupt(Self.cancelled)
    }
}

extension ResultSet {
    /// Lets the reading of rows fail with the error `cancelled` after a duration, measured by a time source, unless the
    /// result set has been released by then. Returns immediately.
    func interrupt(after limit: Duration, by time: any TimeSource) {
        time.after(limit) { [weak self] in
            self?.interrupt(DatabaseError(.cancelled, "the query took longer than its time limit of \(limit)"))
        }
    }
}
