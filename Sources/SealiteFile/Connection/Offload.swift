internal import Dispatch

/// Runs blocking work away from the cooperative thread pool, whose few threads must never wait.
package enum Offload {
    private static let queue = DispatchQueue(label: "sealite.blocking", attributes: .concurrent)

    /// Begins work that nobody waits for.
    package static func start(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    package static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                do {
                    continuation.resume(returning: try work())
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
