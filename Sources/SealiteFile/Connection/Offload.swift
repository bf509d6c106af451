internal import Dispatch

/// The way of blocking work away from the cooperative thread pool, whose few threads must never wait.
///
/// Work that may run beside other work goes to a queue that all share, by the static functions. An instance runs its work one piece
/// after the other; an actor that blocks runs on one.
package final class Offload: SerialExecutor {
    private static let shared = DispatchQueue(label: "sealite.blocking", attributes: .concurrent)
    private let queue: DispatchQueue

    /// Begins work that nobody waits for.
    package static func start(_ work: @escaping @Sendable () -> Void) { shared.async(execute: work) }

    /// Runs work and gives its result.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run(work, on: shared).get()
    }

    /// Makes a queue of its own. The label is for debuggers.
    package init(_ label: String) { queue = DispatchQueue(label: "sealite.\(label)") }

    /// Runs work after what was asked for before, and gives its result.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Runs work that may fail after what was asked for before, and gives its result.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await Self.run(work, on: queue).get()
    }

    /// Queues work at once, so that the order of calls is the order of work, and hands its result on.
    package func start<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value, then: @escaping @Sendable (Value) async -> Void
    ) {
        queue.async {
            let result = work()
            Task { await then(result) }
        }
    }

    /// Runs a job of the actor that this is the executor of.
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
