internal import SealiteFile
internal import Synchronization

/// Interrupts a read at its current row when the task that waits for it is cancelled.
final class Interruption: Sendable {
    private struct State {
        var isInterrupted = false
        var stop: (@Sendable () -> Void)?
    }

    /// The interruption of the read that the calling thread does for a task; nil if it does none.
    @TaskLocal static var current: Interruption?

    private let state = Mutex(State())

    /// Sets the function that stops the read, and calls it at once if the task has already been cancelled.
    func setStop(_ stop: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            state.stop = stop
            return state.isInterrupted
        }
        if isInterrupted { stop() }
    }

    private func interrupt() {
        let stop = state.withLock { state in
            state.isInterrupted = true
            return state.stop
        }
        stop?()
    }

    /// A Boolean value that says whether the task was cancelled, for work between the steps of an SQL statement, which
    /// the function of `setStop(_:)` doesn't end. The thread that does the work isn't the task's, so `Task` doesn't
    /// report the cancellation there.
    var isInterrupted: Bool { state.withLock(\.isInterrupted) }

    /// Checks whether the task was cancelled.
    ///
    /// - Throws: `CancellationError` if it was.
    func check() throws {
        if isInterrupted { throw CancellationError() }
    }

    /// Runs blocking reads off the calling task's thread.
    ///
    /// - Throws: `CancellationError` if the task is cancelled meanwhile, and the errors of the work.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        do {
            let result = try await withTaskCancellationHandler {
                try await Offload.run { try Self.$current.withValue(self, operation: work) }
            } onCancel: {
                interrupt()
            }
            try Task.checkCancellation()
            return result
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }
}
