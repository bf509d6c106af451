@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport
import SealiteDatabase
import SealiteRevisions
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

@Suite("a listener's tombstone and a document that a client made by itself")
struct TombstoneTests {
    /// A listener with the tombstone of the document "d", which was made and deleted there.
    private let server: SyncDatabase
    private let tombstone: String
    /// The sequence of the tombstone.
    private let sequence: UInt64
    private static let unrelated = "18e9f04b267a0000@ABEiM0RVZneImaq7zN3u/w"

    init() throws {
        server = try SyncDatabase(versioning: .vectors)
        try server.save("d", #"{"by":"server"}"#)
        try server.delete("d")
        tombstone = try #require(try server.revisions["d"])
        sequence = try server.collection.lastSequence
    }

    /// Sends requests of a peer to the listener, each after the reply to the one before, and returns the replies. What
    /// the listener announces isn't wanted.
    private func ask(_ requests: [BLIPOutgoing]) throws -> [BLIPReply] {
        let passive = try SessionNode(
            PassiveSession(.init(collections: ["_default"], hasVectors: true)),
            [SealedStore(server, server.collection, role: .passive)])
        let peer = try Endpoint()
        var replies: [BLIPReply] = []
        for request in requests {
            peer.send(request)
            while true {
                if let frame = try peer.nextFrame() {
                    try passive.receive(frame)
                } else if let frame = try passive.endpoint.nextFrame() {
                    for action in try peer.receive(frame) {
                        switch action {
                        case .reply(let reply, _): replies.append(reply)
                        case .request(let request) where request.wantsReply:
                            peer.reply(to: request.number, with: BLIPOutgoing(body: Array("[]".utf8)))
                        default: break
                        }
                    }
                } else if !passive.work(), !passive.wake() {
                    break
                }
            }
        }
        return replies
    }

    private func request(_ profile: Profile, _ more: BLIPProperties = [:], _ body: String = "") -> BLIPOutgoing {
        var properties: BLIPProperties = ["Profile": profile.rawValue, "collection": "0"]
        if profile == .getCollections { properties = ["Profile": profile.rawValue] }
        for pair in more.pairs { properties[pair.name] = pair.value }
        return BLIPOutgoing(properties, body: Array(body.utf8))
    }

    private var collections: BLIPOutgoing {
        request(.getCollections, [:], #"{"checkpoint_ids":["c"],"collections":["_default"]}"#)
    }

    private func pull(since: UInt64? = nil) -> BLIPOutgoing {
        var properties: BLIPProperties = ["versioning": "version-vectors"]
        properties["since"] = since.map { String($0) }
        return request(.subChanges, properties)
    }

    /// The proposal of the client's own document, and the document.
    private var pushes: [BLIPOutgoing] {
        [
            request(.proposeChanges, ["conflictIncludesRev": "true"], #"[["d","\#(Self.unrelated)"]]"#),
            request(.rev, ["id": "d", "rev": Self.unrelated, "noconflicts": "true"], #"{"by":"client"}"#),
        ]
    }

    /// Stores the client's checkpoint, which says up to where it has pulled.
    private func hasPulled(through sequence: UInt64) throws {
        let body = Array(#"{"time":1,"remote":\#(sequence)}"#.utf8)
        try server.database.setLocalValue(store: "peerCheckpoints", name: "1/c", revision: "1-cc", value: body)
    }

    private func expectRefused(_ replies: [BLIPReply]) throws {
        let (proposal, revision) = (replies[replies.count - 2], replies[replies.count - 1])
        #expect(String(decoding: proposal.body, as: UTF8.self) == #"[{"status":409,"rev":"\#(tombstone)"}]"#)
        #expect(revision.error?.code == 409)
        #expect(try server.revisions["d"] == tombstone)
    }

    @Test("a client that pulls the tombstone in the same session can't replace it meanwhile")
    func crossing() throws {
        try expectRefused(try ask([collections, pull()] + pushes))
        // The subscription may come after the proposal, and before the revision.
        let replies = try ask([collections, pushes[0], pull(), pushes[1]])
        try expectRefused([replies[1], replies[3]])
    }

    @Test("a client that has pulled it, purged it and made the document again replaces it")
    func madeAgain() throws {
        try hasPulled(through: sequence)
        let replies = try ask([collections, pull(since: sequence)] + pushes)
        #expect(replies.allSatisfy { $0.error == nil })
        #expect(String(decoding: replies[2].body, as: UTF8.self) == "[]")
        #expect(try server.json("d") == #"{"by":"client"}"#)
    }

    @Test("a client without collections shows the same by its checkpoint")
    func legacy() throws {
        try hasPulled(through: sequence)
        let requests = [request(.getCheckpoint, ["client": "c"]), pull(since: sequence)] + pushes
        let replies = try ask(
            requests.map { request in
                var request = request
                request.properties["collection"] = nil
                return request
            })
        #expect(replies.allSatisfy { $0.error == nil })
        #expect(try server.json("d") == #"{"by":"client"}"#)
    }

    @Test("what a client has pulled counts only as far as it still says so", arguments: [0, 1, 2, 3])
    func doubtful(_ kind: Int) throws {
        try hasPulled(through: kind == 0 ? sequence - 1 : sequence)
        switch kind {
        case 0: try expectRefused(try ask([collections, pull(since: sequence - 1)] + pushes))
        // A reset pulls all again, and says so at once, or at the latest with its checkpoint.
        case 1: try expectRefused(try ask([collections, pull()] + pushes))
        case 2:
            let reset = request(.setCheckpoint, ["client": "c", "rev": "1-cc"], #"{"time":2}"#)
            try expectRefused(try ask([collections, reset] + pushes))
        // What it pulls now, it didn't know when it made its document.
        default:
            try hasPulled(through: 0)
            let later = request(.setCheckpoint, ["client": "c", "rev": "1-cc"], #"{"time":2,"remote":\#(sequence)}"#)
            try expectRefused(try ask([collections, pull(), later] + pushes))
        }
    }

    @Test("a client that only pushes is told of the tombstone")
    func pushOnly() throws { try expectRefused(try ask([collections] + pushes)) }

    /// Runs a session between the server and a client.
    private func sync(_ client: SyncDatabase, random: inout SeededRandom) throws {
        var configuration = SessionConfiguration.one()
        configuration.hasVectors = true
        configuration.collections[0].lastSequence = try client.collection.lastSequence
        let remote = try client.database.remoteNumber("ws://server/db")
        let active = try SessionNode(
            ActiveSession(configuration), [SealedStore(client, client.collection, role: .active(remote: remote))])
        let passive = try SessionNode(
            PassiveSession(.init(collections: ["_default"], hasVectors: true)),
            [SealedStore(server, server.collection, role: .passive)])
        active.start()
        while active.closed == nil {
            active.writesLate = Bool.random(using: &random)
            passive.writesLate = Bool.random(using: &random)
            let turns: [() throws -> Bool] = [
                { try active.endpoint.nextFrame().map { try passive.receive($0) } != nil },
                { try passive.endpoint.nextFrame().map { try active.receive($0) } != nil },
                { active.work() || active.write() }, { passive.work() || passive.write() },
            ]
            var hasMoved = false
            for turn in turns.shuffled(using: &random) where try turn() {
                hasMoved = true
                break
            }
            guard hasMoved || active.wake() || passive.wake() else { break }
        }
        #expect(active.closed?.error == nil)
    }

    @Test("two databases have the same after two syncs, in whatever order their messages cross")
    func converges() throws {
        var random = SeededRandom()
        var keptCount = 0
        for round in 0..<12 {
            let client = try SyncDatabase(versioning: .vectors)
            try server.save("d", #"{"round":\#(round)}"#)
            try server.delete("d")
            try client.save("d", #"{"by":"client"}"#)
            for _ in 0..<2 {
                try sync(client, random: &random)
                for id in try client.collection.conflictedDocumentIDs() {
                    let sides = try #require(try client.collection.conflict(id: id))
                    let isLocal = Bool.random(using: &random)
                    try client.collection.resolveConflict(
                        id: id, revision: sides.remote.currentRevisionID, expecting: nil,
                        resolution: isLocal ? .local : .remote)
                    if isLocal { keptCount += 1 }
                }
            }
            #expect(try client.revisions == server.revisions, "round \(round), seed \(TestSeed.run)")
            #expect(try client.json("d") == server.json("d"))
        }
        #expect(keptCount > 0 && keptCount < 12)
    }
}
