import Dispatch

@testable import SealiteReplicator

extension Replicator {
    /// Runs the replicator, and returns all documents that it reported. A listener's calls are on a queue, so they may
    /// come after the run has returned.
    func documentsOfRun(reset: Bool = false) async throws -> (status: ReplicatorStatus, told: [DocumentReplication]) {
        let notes = Notes<DocumentReplication>()
        let queue = DispatchQueue(label: "documents of a run")
        let token = addDocumentReplicationListener(queue: queue) { notes.add($0) }
        let status = try await run(reset: reset)
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        token.remove()
        return (status, notes.all)
    }
}
