internal import Dispatch

/// Runs blocking work outside the cooperative thread pool, whose few threads must never block.
///
/// The static functions run work concurrently on a shared queue. An instance runs its work serially and is the executor
/// of an actor that blocks.
package final class Offload: SerialExecutor {
    private static let shared = DispatchQueue(label: "sealite.blocking", attributes: .concurrent)
    private let queue: DispatchQueue

    /// Starts work on the shared concurrent queue and returns at once. Nothing reports its completion.
    package static func start(_ work: @escaping @Sendable () -> Void) { shared.async(execute: work) }

    /// Runs blocking work on the shared concurrent queue, and returns its result.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run(work, on: shared).get()
    }

    /// Creates an executor with a serial queue of its own. The label appears in debuggers.
    package init(_ label: String) { queue = DispatchQueue(label: "sealite.\(label)") }

    /// Runs work after all work that was submitted to this instance before, and returns its result.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Runs work that may throw after all work that was submitted to this instance before, and returns its result.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await Self.run(work, on: queue).get()
    }

    /// Enqueues work synchronously, so that it runs in call order, and passes its result to a completion handler.
    package func start<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value, then: @escaping @Sendable (Value) async -> Void
    ) {
        queue.async {
            let result = work()
            Task { await then(result) }
        }
    }

    /// Runs a job of the actor whose executor this is.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    private static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value, on queue: DispatchQueue
    ) async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: work)) }
        }
    }
}
