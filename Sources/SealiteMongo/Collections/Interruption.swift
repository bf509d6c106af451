internal import SealiteFile
internal import Synchronization

/// Stops a reading at the row that it is at, when the task that waits for it is cancelled.
final class Interruption: Sendable {
    private struct State {
        var isInterrupted = false
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Says how the reading is stopped from now on.
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

    /// Ends work that asks no statement for rows.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    func check() throws {
        if state.withLock({ $0.isInterrupted }) { throw CancellationError() }
    }

    /// Runs blocking work that reads, away from the calling task's thread.
    ///
    /// - Throws: `CancellationError` if the task is cancelled meanwhile, and what the work throws.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        do {
            let result = try await withTaskCancellationHandler {
                try await Offload.run(work)
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
