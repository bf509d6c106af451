@testable import SealiteDatabase
@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport
import SealiteFile
import SealiteTestSupport
import SealiteTransport
import Synchronization
import Testing

@testable import SealiteReplicator

@Suite("documents of the remote that couldn't be stored")
struct UnstoredDocumentTests {
    /// The clock of a computer, which is ahead of or behind the right time.
    private final class SkewedClock: Sendable {
        private let seconds: Mutex<Int64>

        init(ahead seconds: Int64 = 0) { self.seconds = Mutex(seconds) }

        func set(ahead seconds: Int64) { self.seconds.withLock { $0 = seconds } }

        func database() throws -> SyncDatabase {
            try SyncDatabase(versioning: .vectors) { configuration in
                configuration.versionTime = { [self] in
                    let right = DatabaseConfiguration().versionTime()
                    return right.advanced(by: Int(seconds.withLock { $0 }) * 1_000_000_000)
                }
            }
        }
    }

    private let here = SkewedClock()
    private let there = SkewedClock()

    private func pair() throws -> SyncPair { try SyncPair(client: here.database(), server: there.database()) }

    @Test("a clock that is behind keeps no document out for good", arguments: [ReplicatorType.pull, .pushAndPull])
    func slowClock(_ type: ReplicatorType) async throws {
        let pair = try pair()
        let replicator = try pair.replicator { $0.replicatorType = type }
        here.set(ahead: -600)
        there.set(ahead: -3_600)
        try pair.server.save("old", "{}")
        there.set(ahead: 0)
        for id in ["a", "b"] { try pair.server.save(id, "{}") }
        // Each run asks for them again, although the checkpoint has passed them.
        for count in [1, 2] {
            let told = try await replicator.documentsOfRun().told.flatMap(\.documents)
            let failed = told.filter { $0.error != nil }
            #expect(failed.map(\.id).sorted() == ["a", "b"])
            #expect(failed.allSatisfy { $0.error?.code == .aheadOfClock && $0.error?.isTransient == true })
            #expect(failed.allSatisfy { $0.error?.reason.contains("set this computer's clock") == true })
            #expect(told.filter { $0.error == nil }.map(\.id) == (count == 1 ? ["old"] : []))
            let listed = try await replicator.refusedDocuments()
            #expect(listed.map(\.id) == ["a", "b"] && listed.allSatisfy { !$0.isPush && $0.code == .aheadOfClock })
            #expect(try listed.map(\.revisionID) == ["a", "b"].map { try pair.server.revisions[$0] })
            #expect(try pair.client.database.refusedDocuments() == listed)
        }
        #expect(pair.dialer.dialCount == 3)
        here.set(ahead: 0)
        let told = try await replicator.documentsOfRun().told.flatMap(\.documents)
        #expect(told.map(\.id).sorted() == ["a", "b"] && told.allSatisfy { $0.error == nil })
        #expect(try pair.client.revisions == pair.server.revisions)
        #expect(try await replicator.refusedDocuments().isEmpty)
        try await replicator.run()
        #expect(pair.dialer.dialCount == 6)
        #expect(try pair.client.findings.isEmpty)
    }

    @Test("one document of the year 2036 holds up no other one, and a right edit of it arrives")
    func oneFromTheFuture() async throws {
        let pair = try pair()
        let replicator = try pair.replicator()
        there.set(ahead: 10 * 365 * 86_400)
        try pair.server.save("future", "{}")
        there.set(ahead: 0)
        let other = try SyncDatabase(versioning: .vectors)
        try other.save("present", "{}")
        // The server's own next versions are of 2036 too, so another client writes.
        try await replicate(other, with: pair, .push)
        try await replicator.run()
        #expect(try pair.client.revisions.keys.sorted() == ["present"])
        #expect(try await replicator.refusedDocuments().map(\.id) == ["future"])
        try other.save("later", "{}")
        try await replicate(other, with: pair, .push)
        try await replicator.run()
        #expect(try pair.client.revisions.keys.sorted() == ["later", "present"])
        try await pair.server.collection.purge(id: "future")
        try other.save("future", #"{"t":"right"}"#)
        try await replicate(other, with: pair, .push)
        try await replicator.run()
        #expect(try pair.client.text("future", "t") == "right")
        #expect(try await replicator.refusedDocuments().isEmpty)
    }

    @Test("a peer whose clock is ahead makes no document late that it didn't write")
    func poisonedClock() async throws {
        let pair = try pair()
        // A server that is behind takes nothing that is two minutes ahead of the client.
        there.set(ahead: -30)
        let evil = SkewedClock(ahead: 0)
        let other = try evil.database()
        let theirs = try SyncPair(client: other, server: pair.client)
        evil.set(ahead: 119)
        try other.save("evil", "{}")
        var configuration = ReplicatorConfiguration(collections: [other.collection], target: try SyncPair.target())
        configuration.replicatorType = .push
        try await Replicator(configuration, dialing: theirs.dialer.dial).run()
        #expect(try pair.client.revisions.keys.sorted() == ["evil"])
        for id in ["a", "b"] { try pair.client.save(id, "{}") }
        try pair.client.change("evil", to: "edited")
        try pair.client.save("c", "{}")
        let replicator = try pair.replicator { $0.replicatorType = .push }
        let told = try await replicator.documentsOfRun().told.flatMap(\.documents)
        #expect(told.filter { $0.error == nil }.map(\.id).sorted() == ["a", "b", "c"])
        #expect(try pair.server.revisions.keys.sorted() == ["a", "b", "c"])
        // The one that is late is offered again, and taken once the server's clock is there.
        there.set(ahead: 0)
        try await replicator.run()
        #expect(try pair.server.text("evil", "t") == "edited")
        #expect(try await replicator.refusedDocuments().isEmpty)
    }

    private func replicate(_ database: SyncDatabase, with pair: SyncPair, _ type: ReplicatorType) async throws {
        var configuration = ReplicatorConfiguration(collections: [database.collection], target: try SyncPair.target())
        configuration.replicatorType = type
        try await Replicator(configuration, dialing: pair.dialer.dial).run()
    }

    @Test("a continuous replicator asks again without reconnecting, and no longer once the document is stored")
    func duringSession() async throws {
        let pair = try pair()
        here.set(ahead: -600)
        try pair.server.save("a", "{}")
        let replicator = try pair.replicator { $0.continuous = true }
        let statuses = Notes<ReplicatorStatus.Activity>()
        let token = replicator.addChangeListener { statuses.add($0.activity) }
        replicator.start()
        try await eventually { try pair.client.database.refusedDocuments().count == 1 }
        await eventually { pair.dialer.dialCount >= 3 }
        here.set(ahead: 0)
        try await eventually { try pair.client.revisions == pair.server.revisions }
        try await eventually { try pair.client.database.refusedDocuments().isEmpty }
        _ = await settled { pair.dialer.dialCount }
        await eventually { pair.service.status.connectionCount == 1 }
        #expect(!statuses.all.contains(.offline))
        // What comes later comes over the first connection.
        let count = pair.dialer.dialCount
        try pair.server.save("b", "{}")
        try await eventually { try pair.client.json("b") != nil }
        #expect(pair.dialer.dialCount == count)
        token.remove()
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        #expect(replicator.status.error == nil)
    }

    @Test("a document that is nested too deeply is remembered until it arrives, or the remote no longer has it")
    func nested() async throws {
        let peer = AnnouncingPeer()
        let longID = String(repeating: "i", count: 300)
        peer.bodies = [
            "deep": AnnouncingPeer.nested(600), "deeper": AnnouncingPeer.nested(700), longID: "{}", "fine": "{}",
        ]
        let server = try await peer.start()
        let database = try SyncDatabase()
        var configuration = ReplicatorConfiguration(collections: [database.collection], target: try server.target)
        configuration.replicatorType = .pull
        let replicator = try Replicator(configuration)
        let first = try await replicator.documentsOfRun().told.flatMap(\.documents)
        #expect(Set(first.filter { $0.error != nil }.map(\.id)) == ["deep", "deeper", longID])
        #expect(try database.revisions.keys.sorted() == ["fine"])
        let listed = try await replicator.refusedDocuments()
        #expect(listed.map(\.id) == ["deep", "deeper", longID] && listed.allSatisfy { $0.code == .http(400) })
        #expect(peer.subscriptions == [nil])
        // The next run says it again.
        let second = try await replicator.documentsOfRun().told.flatMap(\.documents)
        #expect(Set(second.filter { $0.error != nil }.map(\.id)) == ["deep", "deeper", longID])
        #expect(peer.subscriptions == [nil, ["deep", "deeper", longID], nil])
        // One is repaired under the same version, one is gone.
        peer.bodies["deep"] = "{}"
        peer.bodies["deeper"] = nil
        try await replicator.run()
        #expect(try await replicator.refusedDocuments().map(\.id) == [longID])
        #expect(try database.revisions.keys.sorted() == ["deep", "fine"])
        // A replicator that is limited to others, or only pushes, neither lists nor asks for it.
        var limited = configuration
        limited.collections[0].documentIDs = ["fine"]
        #expect(try await Replicator(limited).refusedDocuments().isEmpty)
        limited = configuration
        limited.replicatorType = .push
        #expect(try await Replicator(limited).refusedDocuments().isEmpty)
        let count = peer.subscriptions.count
        try await Replicator(limited).run()
        #expect(peer.subscriptions.count == count)
        await server.stop()
    }

    @Test("above the limit the checkpoint stops, so that the next run pulls what wasn't recorded")
    func limit() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        for number in 1...5 { there.save("d\(number)", "{}") }
        here.refusalLimit = 2
        here.failure = { request in
            guard case .insert = request else { return nil }
            return StoreFailure(isTransient: false, reason: "a defect")
        }
        let pair = try SessionPair(.one(push: false), [here], [there])
        try pair.run()
        #expect(pair.active.closed?.code == 1_000 && pair.active.errors.count == 5)
        #expect(here.unstored.keys.sorted() == ["d1", "d2"])
        let saved = here.checkpoints["cp-1"].map { String(decoding: $0, as: UTF8.self) }
        #expect(saved?.hasSuffix("\"remote\":2}") == true)
        here.failure = { _ in nil }
        let next = try SessionPair(.one(push: false), [here], [there])
        try next.run()
        #expect(here.documents.keys.sorted() == ["d3", "d4", "d5"])
    }

    @Test("a refusal of this side is durable before the checkpoint passes it")
    func order() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        there.save("a", "{}")
        here.failure = { request in
            switch request {
            case .insert: StoreFailure(isTransient: false, reason: "a defect")
            case .recordRefusals: StoreFailure(isTransient: true, reason: "the disk is full")
            default: nil
            }
        }
        let pair = try SessionPair(.one(push: false), [here], [there])
        try pair.run()
        #expect(pair.active.closed?.error?.code == .storage && here.checkpoints.isEmpty && here.unstored.isEmpty)
        here.failure = { _ in nil }
        let again = try SessionPair(.one(push: false), [here], [there])
        try again.run()
        #expect(here.currentRevisions == there.currentRevisions)
    }

    @Test("a defect at one document doesn't keep the others of its batch out")
    func defect() async throws {
        let pair = try SyncPair()
        for number in 0..<20 { try pair.server.save("d\(number)", "{}") }
        let file = try SealedDatabase.open(pair.client.path + "/test.db", key: .rawKey(SyncDatabase.key))
        let connection = try file.connect(busyTimeout: .seconds(60))
        // Only one of these two can be stored.
        try pair.client.save("own", "{}")
        try connection.execute("CREATE UNIQUE INDEX defect ON documents_1 (id > '') WHERE id IN ('own', 'd7')")
        let replicator = try pair.replicator { $0.replicatorType = .pull }
        try await replicator.run()
        #expect(try pair.client.revisions.count == 20 && pair.client.revisions["d7"] == nil)
        #expect(try await replicator.refusedDocuments().map(\.id) == ["d7"])
        try connection.execute("DROP INDEX defect")
        try await replicator.run()
        #expect(try pair.client.revisions.count == 21)
        #expect(try await replicator.refusedDocuments().isEmpty)
    }
}
