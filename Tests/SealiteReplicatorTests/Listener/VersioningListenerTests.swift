import SealiteDatabase
import SealiteTransportTestSupport
import Testing

@testable import SealiteReplicator

/// The cells of the table "Who can sync with whom" (Documentation/Replication.md) in which both sides are Sealite, over sockets.
@Suite("databases with revision trees and version vectors over sockets", .takesSocketTurn)
struct VersioningListenerTests {
    private static let pairs = VersioningKind.allCases.flatMap { client in
        VersioningKind.allCases.map { (client, $0) }
    }

    /// A database with one document from before the upgrade, if there was one, and one from now.
    private func database(_ kind: VersioningKind, _ name: String) throws -> SyncDatabase {
        let trees = try SyncDatabase(versioning: kind == .vectors ? .vectors : .trees)
        try trees.save("\(name) before", "{}")
        let database = kind == .upgraded ? try SyncDatabase(upgrading: trees) : trees
        try database.save("\(name) now", "{}")
        return database
    }

    @Test("each pair syncs, or is told which side has what and what to do", arguments: pairs)
    func pair(_ client: VersioningKind, _ server: VersioningKind) async throws {
        let pair = try await NetworkPair.start((database(client, "client"), database(server, "server")))
        for type in [ReplicatorType.push, .pull, .pushAndPull] {
            let replicator = try pair.replicator { $0.replicatorType = type }
            if client.versioning == server.versioning {
                try await replicator.run()
                continue
            }
            let error = await #expect(throws: ReplicatorError.self) { try await replicator.run() }
            #expect(error?.code == .incompatibleVersioning && error?.isTransient == false)
            let reason = error?.reason ?? ""
            #expect(reason.contains("revision trees") && reason.contains("version vectors"))
            #expect(reason.contains(client == .trees ? "upgrade this database" : "upgrade the remote"))
        }
        let isSynced = client.versioning == server.versioning
        #expect(try pair.client.revisions.count == (isSynced ? 4 : 2))
        #expect(try (pair.client.revisions == pair.server.revisions) == isSynced)
        await pair.listener.stop()
    }

    @Test("two databases that synced as trees go on when both are upgraded, and neither loses a change before that")
    func inTurn() async throws {
        let (first, second) = try (database(.trees, "client"), database(.trees, "server"))
        let before = try await NetworkPair.start((first, second))
        try await before.replicator().run()
        await before.listener.stop()
        let client = try SyncDatabase(upgrading: first)
        try client.change("client before", to: "after the upgrade")
        try client.delete("server now")
        try second.change("client now", to: "before the upgrade")
        try second.change("server before", to: "on both sides")
        try client.change("server before", to: "on both sides, too")
        let between = try await NetworkPair.start((client, second))
        let error = await #expect(throws: ReplicatorError.self) { try await between.replicator().run() }
        #expect(error?.code == .incompatibleVersioning)
        await between.listener.stop()
        let server = try SyncDatabase(upgrading: second)
        let after = try await NetworkPair.start((client, server))
        let conflicts = Notes<String>()
        let resolver = NotingResolver(notes: conflicts)
        let replicator = try after.replicator { $0.collections[0].conflictResolver = resolver }
        try await replicator.run()
        await after.listener.stop()
        #expect(try client.revisions == server.revisions && client.revisions.count == 4)
        #expect(try server.text("client before", "t") == "after the upgrade")
        #expect(try client.text("client now", "t") == "before the upgrade")
        #expect(try server.json("server now") == nil)
        // Only what both changed is a conflict.
        #expect(conflicts.all == ["server before"])
        #expect(try server.text("server before", "t") == "on both sides, too")
        #expect(try client.findings.isEmpty && server.findings.isEmpty)
    }

    private struct NotingResolver: ConflictResolver {
        let notes: Notes<String>

        func resolve(_ conflict: Conflict) async throws -> Resolution {
            notes.add(conflict.documentID)
            return .local
        }
    }
}
