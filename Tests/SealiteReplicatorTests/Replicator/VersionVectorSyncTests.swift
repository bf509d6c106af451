import SealiteDatabase
import SealiteTransport
import SealiteTransportTestSupport
import Testing

@testable import SealiteReplicator

@Suite("Sync of version vectors")
struct VersionVectorSyncTests {
    private struct FixedResolver: ConflictResolver {
        let resolution: @Sendable (Conflict) -> Resolution
        func resolve(_ conflict: Conflict) async throws -> Resolution { resolution(conflict) }
    }

    /// A client and a server, each with a versioning.
    private struct Pair {
        let client, server: SyncDatabase
        let dialer: LoopDialer

        init(client: DocumentVersioning = .vectors, server: DocumentVersioning = .vectors) throws {
            self.client = try SyncDatabase(versioning: client)
            self.server = try SyncDatabase(versioning: server)
            dialer = LoopDialer(try ReplicationService(ServiceConfiguration(collections: [self.server.collection])))
        }

        func sync(_ resolver: (any ConflictResolver)? = nil, _ type: ReplicatorType = .pushAndPull) async throws {
            var own = CollectionConfiguration(client.collection)
            if let resolver { own.conflictResolver = resolver }
            var configuration = ReplicatorConfiguration(collections: [own], target: try SyncPair.target())
            configuration.replicatorType = type
            try await Replicator(configuration, dialing: dialer.dial).run()
        }

        /// Makes a conflict: both sides change a document that both have.
        func conflict() async throws {
            try client.save("a", #"{"t":"first"}"#)
            try await sync()
            try server.change("a", to: "server")
            try client.change("a", to: "client")
        }
    }

    @Test("documents, changes and deletions go both ways, under the versions that they have")
    func bothWays() async throws {
        let pair = try Pair()
        try pair.client.save("c", #"{"t":"c"}"#)
        try pair.server.save("s", #"{"t":"s"}"#)
        try pair.server.save("b", attachment: [1, 2, 3])
        try await pair.sync()
        #expect(try pair.client.revisions == pair.server.revisions && pair.client.revisions.count == 3)
        #expect(try pair.client.revisions.values.allSatisfy { $0.contains("@") })
        #expect(try pair.client.attachment("b") == [1, 2, 3])
        try pair.client.change("s", to: "changed by the client")
        try pair.server.change("c", to: "changed by the server")
        try pair.client.delete("b")
        try await pair.sync()
        #expect(try pair.client.revisions == pair.server.revisions)
        #expect(try pair.server.text("s", "t") == "changed by the client")
        #expect(try pair.client.text("c", "t") == "changed by the server")
        #expect(try pair.server.json("b") == nil)
        try pair.server.change("s", to: "again")
        try await pair.sync()
        #expect(try pair.client.text("s", "t") == "again")
        #expect(try pair.client.findings.isEmpty && pair.server.findings.isEmpty)
    }

    @Test("a conflict that the local side wins is pushed as a new version")
    func localWins() async throws {
        let pair = try Pair()
        try await pair.conflict()
        let mine = try pair.client.revisions["a"]
        try await pair.sync(FixedResolver { _ in .local })
        #expect(try pair.client.revisions["a"] != mine && pair.server.revisions == pair.client.revisions)
        #expect(try pair.server.text("a", "t") == "client")
    }

    @Test("a conflict that the remote side wins pushes nothing")
    func remoteWins() async throws {
        let pair = try Pair()
        try await pair.conflict()
        let theirs = try pair.server.revisions["a"]
        try await pair.sync(FixedResolver { _ in .remote })
        #expect(try pair.client.revisions["a"] == theirs && pair.server.revisions["a"] == theirs)
        #expect(try pair.client.text("a", "t") == "server")
        // Both sides go on from there.
        try pair.client.change("a", to: "later")
        try await pair.sync()
        #expect(try pair.server.text("a", "t") == "later")
    }

    @Test("what is merged is pushed as a new version that both sides' others descend to")
    func merged() async throws {
        let pair = try Pair()
        try await pair.conflict()
        try await pair.sync(
            FixedResolver { .merged(MutableDocument(id: $0.documentID).setString("merged", forKey: "t")) })
        #expect(try pair.client.revisions == pair.server.revisions)
        #expect(try pair.server.text("a", "t") == "merged")
        try pair.server.change("a", to: "later")
        try await pair.sync()
        #expect(try pair.client.text("a", "t") == "later")
        #expect(try pair.client.findings.isEmpty && pair.server.findings.isEmpty)
    }

    @Test("by default the later change wins, whichever side made it")
    func laterWins() async throws {
        let pair = try Pair()
        try await pair.conflict()
        try await pair.sync()
        #expect(try pair.server.text("a", "t") == "client" && pair.client.text("a", "t") == "client")
        try pair.client.change("a", to: "earlier")
        try pair.server.change("a", to: "later")
        try await pair.sync()
        #expect(try pair.server.text("a", "t") == "later" && pair.client.text("a", "t") == "later")
    }

    @Test(
        "a database of trees and one of vectors don't sync, and the error says so",
        arguments: [(DocumentVersioning.trees, DocumentVersioning.vectors), (.vectors, .trees)])
    func incompatible(_ client: DocumentVersioning, _ server: DocumentVersioning) async throws {
        let pair = try Pair(client: client, server: server)
        try pair.server.save("s", "{}")
        let error = await #expect(throws: ReplicatorError.self) { try await pair.sync(nil, .pull) }
        #expect(error?.code == .incompatibleVersioning && error?.isTransient == false)
        #expect(try pair.client.revisions.isEmpty)
    }

    @Test(
        "a peer that refuses the handshake, as it speaks no version of the protocol for this side's documents, is told from others",
        arguments: [
            (DocumentVersioning.trees, 501, "", true),
            (.trees, 403, "The request offers none of the supported WebSocket subprotocols: BLIP_3+CBMobile_4", true),
            (.vectors, 500, "I only speak BLIP_3+CBMobile_3,BLIP_3+CBMobile_2 protocols", true),
            (.vectors, 403, "forbidden", false), (.trees, 500, "Internal error", false), (.vectors, 404, "", false),
        ])
    func refusedHandshakes(_ own: DocumentVersioning, _ status: Int, _ reason: String, _ isVersioning: Bool)
        async throws
    {
        let client = try SyncDatabase(versioning: own)
        let dialer = LoopDialer { _ in }
        dialer.refuse([TransportError(.http(status), reason)])
        let configuration = ReplicatorConfiguration(collections: [client.collection], target: try SyncPair.target())
        let error = await #expect(throws: ReplicatorError.self) {
            try await Replicator(configuration, dialing: dialer.dial).run()
        }
        #expect((error?.code == .incompatibleVersioning) == isVersioning)
        guard isVersioning else { return }
        let advice = own == .trees ? "upgrade this database" : "upgrade the remote"
        #expect(error?.reason.contains(advice) == true && error?.isTransient == false)
    }

    @Test("a peer that takes a subprotocol without vectors is told at once")
    func negotiation() async throws {
        let client = try SyncDatabase(versioning: .vectors)
        let configuration = ReplicatorConfiguration(collections: [client.collection], target: try SyncPair.target())
        let replicator = try Replicator(configuration) { request in
            MessagePipe.pair(info: ConnectionInfo(subprotocol: request.subprotocols.last ?? "")).0
        }
        let error = await #expect(throws: ReplicatorError.self) { try await replicator.run() }
        #expect(error?.code == .incompatibleVersioning)
        #expect(error?.reason.contains("version vectors") == true && error?.reason.contains("CBMobile_2") == true)
    }
}
