@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import SealiteTransportTestSupport
import SealiteTransport
import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteReplicator
import SealiteRevisions

@Suite("a server that has lost documents")
struct LostDocumentTests {
    private let client: SyncDatabase
    private let server: SyncDatabase

    /// A client that has pushed 30 documents, one with an attachment and one deleted, and pulled one.
    init() async throws {
        (client, server) = (try SyncDatabase(), try SyncDatabase())
        for number in 0..<28 { try client.save("d\(number)", #"{"n":\#(number)}"#) }
        try client.save("blob", attachment: Array("content".utf8))
        try client.save("gone", "{}")
        try client.delete("gone")
        try server.save("theirs", #"{"by":"server"}"#)
        try await replicator(with: server).run()
    }

    /// A replicator with a server at the same URL, whatever database that has.
    private func replicator(
        with server: SyncDatabase, _ change: (inout ReplicatorConfiguration) -> Void = { _ in }
    ) throws -> Replicator {
        let service = try ReplicationService(ServiceConfiguration(collections: [server.collection]))
        var configuration = ReplicatorConfiguration(collections: [client.collection], target: try SyncPair.target())
        change(&configuration)
        return try Replicator(configuration, dialing: LoopDialer(service).dial)
    }

    /// The ids of documents that a run pushed.
    private func pushed(_ replicator: Replicator, reset: Bool = false) async throws -> [String] {
        try await replicator.documentsOfRun(reset: reset).told.filter(\.isPush).flatMap(\.documents).map(\.id).sorted()
    }

    @Test(
        "a server that has lost documents is filled again by itself when it was set up anew, and that is said",
        arguments: [false, true])
    func setUpAnew(isReset: Bool) async throws {
        let empty = try SyncDatabase()
        let replicator = try replicator(with: empty)
        let pushed = try await pushed(replicator, reset: isReset)
        #expect(pushed.count == 31)
        #expect(try empty.revisions == client.revisions && empty.attachment("blob") == Array("content".utf8))
        #expect(replicator.status.lostCheckpoints == (isReset ? [] : ["_default._default"]))
        // Once is enough.
        let again = try self.replicator(with: empty)
        #expect(try await self.pushed(again).isEmpty)
        #expect(again.status.lostCheckpoints.isEmpty)
    }

    @Test("gets back what was purged there when it is compared anew, and only that")
    func purged() async throws {
        for id in ["d3", "d7", "blob", "theirs", "gone"] { try await server.collection.purge(id: id) }
        #expect(try await pushed(replicator(with: server)).isEmpty)
        #expect(try server.revisions["d3"] == nil)
        #expect(try await pushed(replicator(with: server), reset: true) == ["blob", "d3", "d7", "gone", "theirs"])
        #expect(try server.revisions == client.revisions)
        #expect(try server.attachment("blob") == Array("content".utf8))
    }

    @Test(
        "a server that was set back to an older state gets the newer revisions, also of documents that were edited since"
    )
    func setBack() async throws {
        let old = try SyncDatabase(copying: server)
        for id in ["d1", "d2"] { try client.change(id, to: "newer") }
        try client.save("new", "{}")
        try await replicator(with: server).run()
        try client.change("d2", to: "newest")
        // Its checkpoint is older than the client's.
        let replicator = try replicator(with: old)
        #expect(try await pushed(replicator) == ["d1", "d2", "new"])
        #expect(replicator.status.lostCheckpoints == ["_default._default"])
        #expect(try old.revisions == client.revisions)
        #expect(try await client.collection.conflictedDocumentIDs().isEmpty)
    }

    @Test(
        "a server that was set back to an older state than was pulled gets the newer revisions, also after a mere pull")
    func setBackAfterPull() async throws {
        let old = try SyncDatabase(copying: server)
        try server.save("late", "{}")
        try server.change("d1", to: "newer")
        try await self.replicator(with: server) { $0.replicatorType = .pull }.run()
        let again = try self.replicator(with: old)
        #expect(try await pushed(again) == ["d1", "late"])
        #expect(again.status.lostCheckpoints == ["_default._default"])
        #expect(try old.revisions == client.revisions)
    }

    @Test("a collection that is made anew is replicated from its first document", arguments: [true, false])
    func madeAnew(isClient: Bool) async throws {
        let all = ["new1", "new2", "old1", "old2", "old3"]
        for id in all.suffix(3) {
            try client.save(id, "{}", in: try await client.database.createCollection(name: "c"))
        }
        try await syncCollection()
        let side = isClient ? client : server
        try await side.database.deleteCollection(name: "c")
        let new = try await side.database.createCollection(name: "c")
        for id in all.prefix(2) { try side.save(id, "{}", in: new) }
        try await syncCollection()
        for database in [client.database, server.database] {
            let collection = try await database.createCollection(name: "c")
            #expect(try await collection.changes(since: 0).map(\.id).sorted() == all)
        }
    }

    /// Replicates the collection "c" in both directions, creating it where it is missing.
    private func syncCollection() async throws {
        let theirs = try await server.database.createCollection(name: "c")
        let service = try ReplicationService(ServiceConfiguration(collections: [theirs]))
        let configuration = ReplicatorConfiguration(
            collections: [try await client.database.createCollection(name: "c")], target: try SyncPair.target())
        try await Replicator(configuration, dialing: LoopDialer(service).dial).run()
    }

    @Test(
        "a server that has gone on meanwhile is not offered what it had, and refuses nothing", arguments: [true, false])
    func goneOn(isPushOnly: Bool) async throws {
        // One document far enough to have forgotten that revision, the other not.
        for number in 0..<40 { try server.change("d1", to: "newer \(number)") }
        for id in ["d1", "d2"] { try server.change(id, to: "newer") }
        let forgotten = try #require(try client.revisions["d1"])
        #expect(try await !server.collection.revisions(id: "d1").contains { $0.id.description == forgotten })
        let replicator = try replicator(with: server) { if isPushOnly { $0.replicatorType = .push } }
        #expect(try await pushed(replicator, reset: true).isEmpty)
        #expect(try await replicator.refusedDocuments().isEmpty)
        #expect(try server.text("d1", "t") == "newer" && client.text("d1", "t") == (isPushOnly ? nil : "newer"))
        #expect(try await client.collection.conflictedDocumentIDs().isEmpty)
        // What was edited on both sides is refused, as ever.
        try client.change("d1", to: "mine")
        try server.change("d1", to: "newest")
        guard isPushOnly else { return }
        _ = try await pushed(replicator, reset: true)
        #expect(try await replicator.refusedDocuments().map(\.id) == ["d1"])
    }

    @Test("an edit of a document that was purged at the server is stored there")
    func editOfPurged() async throws {
        try await server.collection.purge(id: "d1")
        try client.change("d1", to: "edited")
        #expect(try await pushed(replicator(with: server)) == ["d1"])
        #expect(try server.text("d1", "t") == "edited")
    }

    @Test("a client that only pulls says that it was set up anew, and offers nothing")
    func pullOnly() async throws {
        let pull = { (configuration: inout ReplicatorConfiguration) in configuration.replicatorType = .pull }
        try await replicator(with: server, pull).run()
        let empty = try SyncDatabase()
        try empty.save("new", "{}")
        let replicator = try replicator(with: empty, pull)
        #expect(try await pushed(replicator).isEmpty)
        #expect(replicator.status.lostCheckpoints == ["_default._default"])
        #expect(try client.revisions["new"] != nil && empty.revisions.count == 1)
        try await replicator.run()
        #expect(replicator.status.lostCheckpoints.isEmpty)
    }

    @Test("a server that has lost documents is filled also by a client that is cut again and again meanwhile")
    func cut() async throws {
        for number in 0..<1_500 { try client.save("m\(number)", #"{"t":"\#(String(repeating: "x", count: 2_000))"}"#) }
        try await replicator(with: server).run()
        let empty = try SyncDatabase()
        let service = try ReplicationService(ServiceConfiguration(collections: [empty.collection]))
        let dialer = LoopDialer(service)
        var configuration = ReplicatorConfiguration(collections: [client.collection], target: try SyncPair.target())
        configuration.maxAttemptWaitTime = .milliseconds(5)
        configuration.maxAttempts = 100
        let replicator = try Replicator(configuration, dialing: dialer.dial)
        replicator.start()
        for count in [100, 500, 900] {
            try await eventually { try empty.collection.count >= UInt64(count) }
            dialer.cut()
        }
        await eventually { replicator.status.activity == .stopped }
        #expect(replicator.status.error == nil)
        #expect(try empty.revisions == client.revisions)
    }
}

@Suite("checkpoints of a server that has lost documents")
struct LostCheckpointTests {
    private func checkpoint(_ json: String) throws -> Checkpoint {
        try Checkpoint(json: Array(json.utf8), limits: MessageLimits())
    }

    @Test("the sequence through which all is offered again outlives the session")
    func kept() throws {
        let stored = try checkpoint(#"{"local":7,"remote":"3:2","reoffer":40}"#)
        #expect(stored.reofferedThrough == 40)
        #expect(try checkpoint(String(decoding: stored.json(time: 1), as: UTF8.self)) == stored)
        #expect(Checkpoint.reconciled(local: stored, remote: stored).reofferedThrough == 40)
        // What the remote says of it counts for nothing.
        let without = try checkpoint(#"{"local":7,"remote":"3:2"}"#)
        #expect(Checkpoint.reconciled(local: without, remote: stored).reofferedThrough == nil)
    }

    @Test("a copy that is missing or says less is lost; one that says more, or the same, is not")
    func lost() throws {
        let ours = try checkpoint(#"{"local":7,"remote":3}"#)
        #expect(ours.isLost(by: nil))
        #expect(try ours.isLost(by: checkpoint(#"{"local":6,"remote":3}"#)))
        #expect(try ours.isLost(by: checkpoint(#"{"remote":3}"#)))
        // The remote's copy is saved first, so it can't show that less was pulled.
        #expect(try ours.isLost(by: checkpoint(#"{"local":9,"remote":2}"#)))
        #expect(try ours.isLost(by: checkpoint(#"{"local":9}"#)))
        #expect(try !ours.isLost(by: checkpoint(#"{"local":9,"remote":4}"#)))
        #expect(!ours.isLost(by: ours) && !Checkpoint().isLost(by: nil))
    }

    @Test("a session goes on offering what an earlier one began to offer again")
    func goesOn() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        for number in 1...6 { here.save("d\(number)", "{}") }
        for (id, document) in here.documents { here.documents[id]?.remote = document.current }
        let body = Array(#"{"local":2,"reoffer":5}"#.utf8)
        here.checkpoints["cp-1"] = body
        there.peerCheckpoints["cp-1"] = GetCheckpointReply(revision: "1-cc", body: body)
        try SessionPair(.one(pull: false), [here], [there]).run()
        #expect(there.documents.keys.sorted() == ["d3", "d4", "d5"])
        let saved = here.checkpoints["cp-1"].map { String(decoding: $0, as: UTF8.self) }
        #expect(saved?.contains("reoffer") == false && saved?.contains("\"local\":6") == true)
    }

    @Test("a peer that names no revision in a conflict, as Couchbase Lite does of a document it lost, gets the edit")
    func withoutDocument() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        here.save("d", "{}")
        try SessionPair(.one(), [here], [there]).run()
        there.documents["d"] = nil
        here.save("d", #"{"edited":true}"#)
        let pair = try SessionPair(.one(), [here], [there])
        try pair.run()
        #expect(pair.active.errors.isEmpty && there.body("d") == #"{"edited":true}"#)
    }
}
