import SealiteTransportTestSupport
import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

@Suite("a document that is made on one side and was deleted on the other")
struct NewBeginningTests {
    private struct FixedResolver: ConflictResolver {
        let resolution: Resolution
        func resolve(_ conflict: Conflict) async throws -> Resolution { resolution }
    }

    /// The peer takes the new document over its tombstone while the tombstone is on its way here, where it conflicts.
    @Test(
        "a document that is made on one side and was deleted on the other is the same on both in the end, however the conflict is resolved",
        arguments: 0..<3)
    func converges(_ index: Int) async throws {
        let resolvers: [any ConflictResolver] = [
            FixedResolver(resolution: .local), FixedResolver(resolution: .remote), DefaultConflictResolver(),
        ]
        let pair = try SyncPair()
        for number in 0..<20 {
            try pair.server.save("d\(number)", #"{"side":"server"}"#)
            try pair.server.delete("d\(number)")
            try pair.client.save("d\(number)", #"{"side":"client"}"#)
        }
        let replicator = try pair.replicator { configuration in
            configuration.continuous = true
            configuration.collections[0].conflictResolver = resolvers[index]
        }
        replicator.start()
        // Idle too: for a moment both sides may have the new documents, while the tombstones are still on their way.
        let isEqual = try await eventually {
            try replicator.status.activity == .idle && pair.client.revisions == pair.server.revisions
                && pair.client.collection.conflictedDocumentIDs().isEmpty
        }
        let (ours, theirs) = (try pair.client.revisions, try pair.server.revisions)
        #expect(isEqual, "\(ours.filter { theirs[$0.key] != $0.value }), \(theirs.filter { ours[$0.key] != $0.value })")
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        for number in 0..<20 { #expect(try pair.client.json("d\(number)") == pair.server.json("d\(number)")) }
    }
}
