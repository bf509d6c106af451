internal import Dispatch

/// Runs blocking work one after the other, away from the cooperative threads, which must never wait.
struct BlockingWork: Sendable {
    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: "sealite.replicator.\(label)") }

    /// Runs `work` after what was asked for before, and gives its result.
    func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// As the other, for work that may fail.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run { Result(catching: work) }.get()
    }

    /// Queues `work` at once, so that the order of calls is the order of work, and hands its result on.
    func start<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, then: @escaping @Sendable (Result) async -> Void
    ) {
        queue.async {
            let result = work()
            Task { await then(result) }
        }
    }
}
