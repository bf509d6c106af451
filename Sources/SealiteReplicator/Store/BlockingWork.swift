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
}
