@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import Foundation
import SealiteDatabase
import SealiteTestSupport
import SealiteTransport
import Synchronization
import Testing

@testable import SealiteReplicator
import SealiteRevisions

@Suite("documents that the remote refuses")
struct RefusedDocumentTests {
    /// A server that refuses revisions of some documents, as long as it is told to, and remembers the others for the
    /// session.
    private final class Refuser: Sendable {
        let errors = Mutex<[String: BLIPErrorReply]>([:])
        /// Its copies of checkpoints.
        private let checkpoints = Mutex<[String: [UInt8]]>([:])
        /// The ids of revisions that were sent to it, in order.
        let seen = Notes<String>()
        /// The ids of documents that it has taken in this session.
        private let taken = Mutex<Set<String>>([])

        func peer() async throws -> HostilePeer {
            try await HostilePeer.start { action, endpoint in
                guard case .request(let request) = action else { return .ordinary }
                switch request.profile {
                case "setCheckpoint":
                    self.checkpoints.withLock { $0[request.properties["client"] ?? ""] = request.body }
                    return .ordinary
                case "getCollections":
                    self.taken.withLock { $0 = [] }
                    endpoint.reply(to: request.number, with: BLIPOutgoing(body: self.collections(request.body)))
                    return .done
                case "proposeChanges":
                    endpoint.reply(to: request.number, with: BLIPOutgoing(body: self.proposals(request.body)))
                    return .done
                case "rev":
                    let id = request.properties["id"] ?? ""
                    self.seen.add(id)
                    guard let error = self.errors.withLock({ $0[id] }) else {
                        self.taken.withLock { _ = $0.insert(id) }
                        return .ordinary
                    }
                    endpoint.reply(to: request.number, error: error)
                    return .done
                default: return .ordinary
                }
            }
        }

        private func proposals(_ body: [UInt8]) -> [UInt8] {
            let rows = try? JSONSerialization.jsonObject(with: Data(body)) as? [[Any]]
            let taken = taken.withLock { $0 }
            let answers = (rows ?? []).map { taken.contains($0.first as? String ?? "") ? "304" : "0" }
            return Array("[\(answers.joined(separator: ","))]".utf8)
        }

        /// The answer to a request for one collection, with its checkpoint if there is one.
        private func collections(_ body: [UInt8]) -> [UInt8] {
            let request = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: [String]]
            let id = request?["checkpoint_ids"]?.first ?? ""
            guard let stored = checkpoints.withLock({ $0[id] }) else { return Array("[{}]".utf8) }
            return Array("[{\"rev\":\"0-1\",".utf8) + stored.dropFirst() + Array("]".utf8)
        }
    }

    private let database: SyncDatabase
    private let refuser = Refuser()

    init() throws {
        database = try SyncDatabase()
        for id in ["a", "b", "c", "fine"] { try database.save(id, "{}") }
        let errors = [
            "a": BLIPErrorReply(code: 403, message: "sg missing channel access"),
            "b": BLIPErrorReply(code: 413, message: "too large"),
            "c": BLIPErrorReply(domain: "LiteCore", code: 26, message: ""),
        ]
        refuser.errors.withLock { $0 = errors }
    }

    private func configuration(_ peer: HostilePeer) throws -> ReplicatorConfiguration {
        var configuration = ReplicatorConfiguration(collections: [database.collection], target: try peer.target)
        configuration.replicatorType = .push
        return configuration
    }

    /// Runs a new replicator, and gives the documents that went through and those that didn't.
    private func run(
        _ peer: HostilePeer, reset: Bool = false, _ change: (inout ReplicatorConfiguration) -> Void = { _ in }
    ) async throws -> (sent: [String], failed: Set<String>) {
        var configuration = try configuration(peer)
        change(&configuration)
        let replicator = try Replicator(configuration)
        let told = try await replicator.documentsOfRun(reset: reset).told.flatMap(\.documents)
        return (told.filter { $0.error == nil }.map(\.id).sorted(), Set(told.filter { $0.error != nil }.map(\.id)))
    }

    private func refused(_ peer: HostilePeer) async throws -> [RefusedDocument] {
        try await Replicator(try configuration(peer)).refusedDocuments()
    }

    @Test(
        "documents that the remote refuses are remembered with the reason and offered again at each run, until they go through"
    )
    func remembered() async throws {
        let peer = try await refuser.peer()
        let before = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let first = try await run(peer)
        #expect(first.sent == ["fine"] && first.failed == ["a", "b", "c"])
        let listed = try await refused(peer)
        try #require(listed.map(\.id) == ["a", "b", "c"])
        #expect(listed.map(\.code) == [.http(403), .http(413), .remote(domain: "LiteCore", code: 26)])
        #expect(listed[0].reason.hasSuffix("sg missing channel access") && listed[0].collection == "_default")
        #expect(try listed.allSatisfy { try $0.time >= before && $0.target == peer.target.description })
        #expect(try listed[0].revisionID == database.revisions["a"])
        // The second run says it again, although its checkpoint is past them.
        for isReset in [false, true] {
            let again = try await run(peer, reset: isReset)
            #expect(again.failed == ["a", "b", "c"], "\(isReset)")
            #expect(try await refused(peer).count == 3)
        }
        refuser.errors.withLock { $0["a"] = nil }
        let third = try await run(peer)
        #expect(third.sent == ["a"] && third.failed == ["b", "c"])
        #expect(try await refused(peer).map(\.id) == ["b", "c"])
        refuser.errors.withLock { $0 = [:] }
        #expect(try await run(peer).sent == ["b", "c"])
        #expect(try await refused(peer).isEmpty)
        #expect(try database.database.refusedDocuments().isEmpty)
        let last = try await run(peer)
        #expect(last.sent.isEmpty && last.failed.isEmpty)
        #expect(try database.findings.isEmpty)
        await peer.stop()
    }

    @Test("refused documents are offered again with a reset also if they were known to be there once")
    func knownOnce() async throws {
        refuser.errors.withLock { $0 = [:] }
        let peer = try await refuser.peer()
        #expect(try await run(peer).sent == ["a", "b", "c", "fine"])
        refuser.errors.withLock { $0["b"] = BLIPErrorReply(code: 403, message: "no more") }
        // This server never knows anything, so all is sent.
        #expect(try await run(peer, reset: true).failed == ["b"])
        #expect(try await refused(peer).map(\.id) == ["b"])
        #expect(try await run(peer).failed == ["b"])
        await peer.stop()
    }

    @Test("refused documents are no longer counted once they are changed, purged, or left out")
    func changed() async throws {
        let peer = try await refuser.peer()
        _ = try await run(peer)
        try database.change("a", to: "new")
        try await database.collection.purge(id: "b")
        #expect(try await refused(peer).map(\.id) == ["c"])
        refuser.errors.withLock { $0 = [:] }
        let next = try await run(peer) { $0.collections[0].documentIDs = ["a"] }
        #expect(next.sent == ["a"])
        var other = try configuration(peer)
        other.collections[0].documentIDs = ["a"]
        #expect(try await Replicator(other).refusedDocuments().isEmpty)
        #expect(try await refused(peer).map(\.id) == ["c"])
        #expect(try await run(peer).sent == ["c"])
        await peer.stop()
    }

    @Test("refused documents are kept apart by remote, collection and document, and go with their collection")
    func apart() async throws {
        let peer = try await refuser.peer()
        let other = try await refuser.peer()
        _ = try await run(peer)
        #expect(try await refused(other).isEmpty)
        let notes = try await database.database.createCollection(name: "notes")
        try database.save("a", "{}", in: notes)
        _ = try await run(other) { $0.collections = [CollectionConfiguration(notes)] }
        #expect(try database.database.refusedDocuments(by: other.target).map(\.collection) == ["notes"])
        #expect(try database.database.refusedDocuments().count == 4)
        try await database.database.deleteCollection(name: "notes")
        #expect(try database.database.refusedDocuments().count == 3)
        await peer.stop()
        await other.stop()
    }

    @Test("a conflict that a client which only pushes can't resolve is remembered until it is resolved")
    func conflicts() async throws {
        let pair = try SyncPair()
        try pair.server.save("a", #"{"by":"server"}"#)
        try pair.client.save("a", #"{"by":"client"}"#)
        let push = try pair.replicator { $0.replicatorType = .push }
        for _ in 0..<2 {
            try await push.run()
            #expect(try await push.refusedDocuments().map(\.code) == [.http(409)])
        }
        let both = try pair.replicator()
        try await both.run()
        for replicator in [both, push] { #expect(try await replicator.refusedDocuments().isEmpty) }
        #expect(try pair.client.revisions == pair.server.revisions)
    }

    @Test("the words of a hostile remote are cut, and steer no terminal")
    func hostileWords() async throws {
        let steering = "\u{1B}[2J\u{9B}1m\u{202E}\u{61C}evil\nline"
        let long = String(repeating: "é", count: 100_000)
        refuser.errors.withLock { errors in
            errors = [
                "a": BLIPErrorReply(code: 500, message: steering + long),
                "b": BLIPErrorReply(domain: steering + long.prefix(10_000), code: 7),
            ]
        }
        let peer = try await refuser.peer()
        #expect(try await run(peer).failed == ["a", "b"])
        let listed = try await refused(peer)
        #expect(listed.count == 2)
        for document in listed {
            #expect(document.reason.utf8.count < 1_500)
            let shown = document.reason + "\(document.code)"
            let isSafe = shown.unicodeScalars.allSatisfy { scalar in
                scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                    && ![0x61C, 0x202E].contains(scalar.value)
            }
            #expect(isSafe && shown.contains("[2J1mevil line"))
        }
        await peer.stop()
    }

    @Test("more than there is room for are offered again at each run")
    func overflow() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        for number in 1...5 { here.save("d\(number)", "{}") }
        here.refusalLimit = 2
        var configuration = SessionConfiguration.one(pull: false)
        configuration.retriesRefused = true
        for round in 0..<3 {
            let passive = PassiveSession(.init(collections: ["_default"]))
            there.pullFilter = { round == 2 || $0.documentID == "d5" }
            let active = try SessionNode(ActiveSession(configuration), [here])
            active.start()
            try SessionRun.run(active, try SessionNode(passive, [there]))
            #expect(active.closed?.code == 1_000)
            #expect(Set(active.errors.keys) == (round == 2 ? [] : ["d1", "d2", "d3", "d4"]), "round \(round)")
        }
        #expect(there.documents.count == 5 && here.refusals.isEmpty)
        let saved = here.checkpoints["cp-1"].map { String(decoding: $0, as: UTF8.self) }
        #expect(saved?.contains("reoffer") == false && saved?.contains("\"local\":5") == true)
    }

    @Test("a refusal is durable before the checkpoint passes it")
    func order() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        here.save("a", "{}")
        there.pullFilter = { _ in false }
        here.failure = {
            if case .recordRefusals = $0 { StoreFailure(isTransient: true, reason: "the disk is full") } else { nil }
        }
        let pair = try SessionPair(.one(pull: false), [here], [there])
        try pair.run()
        #expect(pair.active.closed?.error?.code == .storage && here.checkpoints.isEmpty)
        here.failure = { _ in nil }
        let again = try SessionPair(.one(pull: false), [here], [there])
        try again.run()
        #expect(again.active.errors.keys.sorted() == ["a"] && here.refusals.count == 1)
    }

    @Test("refused documents are offered again by a continuous replicator after each reconnection")
    func reconnected() async throws {
        let peer = try await refuser.peer()
        var configuration = try configuration(peer)
        configuration.continuous = true
        configuration.maxAttemptWaitTime = .milliseconds(5)
        let connections = Notes<any MessageConnection>()
        let replicator = try Replicator(configuration) { request throws(TransportError) in
            let connection = try await request.connection()
            connections.add(connection)
            return connection
        }
        replicator.start()
        try await eventually { try database.database.refusedDocuments().count == 3 }
        await eventually { replicator.status.activity == .idle }
        let count = refuser.seen.all.count { $0 == "b" }
        refuser.errors.withLock { $0 = [:] }
        await connections.all[0].close(code: 1_001, reason: "")
        try await eventually { try database.database.refusedDocuments().isEmpty }
        #expect(refuser.seen.all.count { $0 == "b" } == count + 1)
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        await peer.stop()
    }
}
