@testable import SealiteProtocol
import SealiteTransportTestSupport
import SealiteDatabase
import SealiteFile
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteReplicator
import SealiteRevisions

@Suite("conflicts of a replicator")
struct ConflictResolutionTests {
    /// Decides by a closure.
    private struct Resolver: ConflictResolver {
        let decide: @Sendable (Conflict) async throws -> Resolution
        func resolve(_ conflict: Conflict) async throws -> Resolution { try await decide(conflict) }
    }

    private struct Refusal: Error {}

    /// A document that both sides have, and then changed.
    private func conflict(_ client: String? = #"{"from":"client"}"#, _ server: String? = #"{"from":"server"}"#)
        async throws -> SyncPair
    {
        let pair = try SyncPair()
        try pair.client.save("a", #"{"from":"both"}"#)
        try await pair.replicator().run()
        if let client { try pair.client.save("a", client) } else { try pair.client.delete("a") }
        if let server { try pair.server.save("a", server) } else { try pair.server.delete("a") }
        return pair
    }

    private func run(
        _ pair: SyncPair, _ decide: @escaping @Sendable (Conflict) async throws -> Resolution
    ) async throws -> [ReplicatedDocument] {
        let replicator = try pair.replicator { $0.collections[0].conflictResolver = Resolver(decide: decide) }
        let told = try await replicator.documentsOfRun().told
        #expect(told.contains { !$0.isPush })
        return told.flatMap(\.documents)
    }

    @Test("whatever is chosen, both sides have the same afterwards", arguments: 0..<4)
    func choices(_ choice: Int) async throws {
        let pair = try await conflict()
        let documents = try await run(pair) { conflict in
            #expect(conflict.localDocument?.string(forKey: "from") == "client")
            #expect(conflict.remoteDocument?.string(forKey: "from") == "server")
            let merged = MutableDocument(id: "a").setString("merged", forKey: "from")
            merged.setBlob(Blob(contentType: nil, bytes: [1, 2, 3]), forKey: "blob")
            return [.local, .remote, .merged(merged), .deleted][choice]
        }
        #expect(documents.allSatisfy { $0.error == nil })
        let expected = ["client", "server", "merged", nil][choice]
        #expect(try pair.client.text("a", "from") == expected)
        #expect(try pair.client.revisions == pair.server.revisions)
        #expect(try pair.server.attachment("a") == (choice == 2 ? [1, 2, 3] : nil))
        #expect(try await pair.client.collection.conflictedDocumentIDs().isEmpty)
        #expect(try pair.client.findings.isEmpty)
    }

    @Test("by default the deletion wins, else the later generation")
    func defaults() async throws {
        let deleted = try await conflict(nil, #"{"from":"server"}"#)
        try await deleted.replicator().run()
        #expect(try deleted.client.json("a") == nil && deleted.server.json("a") == nil)
        let later = try await conflict()
        try later.client.save("a", #"{"from":"client again"}"#)
        try await later.replicator().run()
        #expect(try later.server.json("a") == #"{"from":"client again"}"#)
        #expect(try later.client.revisions == later.server.revisions)
    }

    @Test("when both sides deleted the document nobody is asked")
    func bothDeleted() async throws {
        let pair = try await conflict(nil, nil)
        try pair.client.save("a", "{}")
        try pair.client.delete("a")
        try await pair.replicator { $0.collections[0].conflictResolver = Resolver { _ in throw Refusal() } }.run()
        #expect(try await pair.client.collection.conflictedDocumentIDs().isEmpty)
        #expect(try pair.client.revisions == pair.server.revisions)
    }

    @Test("a resolver that fails leaves the conflict to the next start, and the document is told of")
    func failing() async throws {
        let pair = try await conflict()
        let documents = try await run(pair) { _ in throw Refusal() }
        #expect(documents.first { $0.error != nil }?.error?.code == .resolverFailed)
        #expect(try await pair.client.collection.conflictedDocumentIDs() == ["a"])
        #expect(try pair.client.json("a") == #"{"from":"client"}"#)
        let wrong = try await run(pair) { _ in .merged(MutableDocument(id: "b")) }
        #expect(wrong.first?.error?.code == .resolverFailed)
        try await pair.replicator().run()
        #expect(try await pair.client.collection.conflictedDocumentIDs().isEmpty)
        #expect(try pair.client.revisions == pair.server.revisions)
    }

    @Test("whatever a resolver throws is told, also that something isn't found, and the application's own words aren't")
    func reasons() async throws {
        let pair = try await conflict()
        let missing = try await run(pair) { _ in throw DatabaseError(.notFound, "there is no document \"template\"") }
        let told = try #require(missing.compactMap(\.error).first)
        #expect(told.code == .resolverFailed && told.reason.contains("there is no document \"template\""))
        let own = try await run(pair) { _ in throw Refusal() }
        let error = try #require(own.compactMap(\.error).first)
        #expect(error.code == .resolverFailed && error.reason.hasSuffix("an error of the type Refusal"))
        #expect(error.underlying is Refusal)
        #expect(try await pair.client.collection.conflictedDocumentIDs() == ["a"])
    }

    @Test("a conflict that ends while it is resolved is no failure")
    func endedMeanwhile() async throws {
        let pair = try await conflict()
        let client = pair.client
        let resolver = Resolver { _ in
            try await client.collection.purge(id: "a")
            return .local
        }
        let replicator = try pair.replicator { $0.collections[0].conflictResolver = resolver }
        let documents = try await replicator.documentsOfRun().told.flatMap(\.documents)
        #expect(documents.allSatisfy { $0.error?.code != .resolverFailed })
        #expect(try await client.collection.conflictedDocumentIDs().isEmpty)
    }

    @Test("a document that changes while it is resolved is resolved anew")
    func changedMeanwhile() async throws {
        let pair = try await conflict()
        let askedCount = Mutex(0)
        let client = pair.client
        _ = try await run(pair) { conflict in
            let count = askedCount.withLock { count in
                count += 1
                return count
            }
            if count == 1 { try client.save("a", #"{"from":"meanwhile"}"#) }
            return .local
        }
        #expect(askedCount.withLock { $0 } == 2)
        #expect(try pair.server.json("a") == #"{"from":"meanwhile"}"#)
        #expect(try pair.client.revisions == pair.server.revisions)
    }

    @Test("a run without a new conflict makes one session, whatever earlier runs resolved")
    func laterRun() async throws {
        let pair = try await conflict()
        let replicator = try pair.replicator()
        try await replicator.run()
        let dialCount = pair.dialer.dialCount
        let client = pair.client
        // Saved when the session has ended, so that a document waits to be pushed.
        let remove = replicator.onStatus { status in
            if status.activity == .idle { _ = try? client.save("later", "{}") }
        }
        try await replicator.run()
        remove()
        #expect(try await replicator.pendingDocumentIDs(in: client.collection) == ["later"])
        #expect(pair.dialer.dialCount == dialCount + 1)
    }

    @Test("conflicts that can't be read for now are read at the next attempt")
    func unreadable() async throws {
        let (server, folder) = (try SyncDatabase(), try SyncDatabase())
        let vfs = try TestVFS(name: "conflicts, below", over: "unix")
        let database = try database(folder.path + "/faulty.db", VFSChoice(name: "conflicts, sealed", base: vfs.name))
        let collection = try database.defaultCollection()
        let service = try ReplicationService(ServiceConfiguration(collections: [server.collection]))
        var configuration = ReplicatorConfiguration(collections: [collection], target: try SyncPair.target())
        configuration.maxAttemptWaitTime = .milliseconds(5)
        let replicator = try Replicator(configuration, dialing: LoopDialer(service).dial)
        let statuses = Notes<ReplicatorStatus>()
        // All reads fail until the replicator has met one: a single failure could meet another reader of the database.
        let remove = replicator.onStatus { status in
            statuses.add(status)
            if status.activity == .offline { vfs.tap.disarm() }
        }
        // The reading connection is open, and has to read again what another one has written.
        #expect(try collection.count == 0)
        try await collection.save(document: MutableDocument(id: "a"))
        vfs.tap.arm(Fault(.lasting, number: 1, kinds: [.read]))
        try await replicator.run()
        remove()
        #expect(vfs.tap.strikes >= 1)
        #expect(statuses.all.contains { $0.activity == .offline && $0.error?.code == .storage })
        #expect(try server.json("a") == "{}")
        try await database.close()
        withExtendedLifetime((folder, vfs)) {}
    }

    /// Creates a database on a file system of its own.
    private func database(_ path: String, _ choice: VFSChoice) throws -> Database {
        _ = try SealedDatabase.create(path, slot: .rawKey(SyncDatabase.key), vfs: choice)
        return try Database(file: SealedDatabase.open(path, key: .rawKey(SyncDatabase.key), vfs: choice))
    }

    @Test("a push alone reports the conflict and changes nothing")
    func pushOnly() async throws {
        let pair = try await conflict()
        let replicator = try pair.replicator { $0.replicatorType = .push }
        let documents = try await replicator.documentsOfRun().told.flatMap(\.documents)
        #expect(documents.map { $0.error?.code } == [.conflict])
        #expect(try pair.server.json("a") == #"{"from":"server"}"#)
    }
}
