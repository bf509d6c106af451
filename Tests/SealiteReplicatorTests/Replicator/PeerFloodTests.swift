import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteRevisions
import SealiteTestSupport
import SealiteTransport
import SealiteTransportTestSupport
import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport
@testable import SealiteReplicator

@Suite("peers that flood a service")
struct PeerFloodTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case checkpoints, silentCheckpoints, proposals, attachments, silentRevisions
        var testDescription: String { rawValue }

        func request(_ number: Int) -> BLIPOutgoing {
            switch self {
            case .checkpoints, .silentCheckpoints:
                let body = Array(#"{"x":"\#(String(repeating: "x", count: 8_000))"}"#.utf8)
                return BLIPOutgoing(
                    ["Profile": "setCheckpoint", "client": "flood-\(number)"], body: body,
                    isNoReply: self == .silentCheckpoints)
            case .proposals:
                let rows = (0..<1_000).map { #"["d\#($0)","1-aa"]"# }.joined(separator: ",")
                return BLIPOutgoing(["Profile": "proposeChanges"], body: Array("[\(rows)]".utf8))
            case .silentRevisions:
                let history = (0..<500).map { "1-\($0 + 1_000_000_000)" }.joined(separator: ",")
                return BLIPOutgoing(
                    ["Profile": "rev", "id": "flood-\(number)", "rev": "2-aa", "history": history],
                    body: Array("{}".utf8), isNoReply: true)
            case .attachments:
                return BLIPOutgoing([
                    "Profile": "getAttachment", "digest": "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                    "docID": String(repeating: "x", count: 10_000),
                ])
            }
        }
    }

    @Test("reading pauses while a peer's requests wait for the database", arguments: Kind.allCases)
    func pauses(_ kind: Kind) async throws {
        let pair = try SyncPair()
        let flood = Flood(pair.service, count: 4_000, waits: true) {
            $0 == 0 ? BLIPOutgoing(["Profile": "ping"]) : kind.request($0)
        }
        await eventually { pair.service.status.connectionCount == 1 }
        let held = HeldDatabase(pair.server.database)
        flood.goOn()
        await Flood.settled([flood])
        // An attachment that the peer was never sent a reference to is refused at once, without the database.
        #expect(flood.sentCount < 2_500 || kind == .attachments)
        #expect(pair.service.memory.total < 24 << 20, "\(pair.service.memory.total)")
        flood.cut()
        await eventually { pair.service.status.connectionCount == 0 && pair.service.memory.total == 0 }
        held.release()
    }

    @Test(
        "reading pauses while a peer doesn't take what this side sends it, answers and announcements, however small they are"
    )
    func unread() async throws {
        let pair = try SyncPair()
        let pings = Flood(pair.service, count: 60_000) { _ in BLIPOutgoing(["Profile": "ping"]) }
        await eventually { pings.sentCount >= 1_000 }
        await Flood.settled([pings])
        #expect(pings.sentCount < 50_000, "\(pings.sentCount)")
        pings.cut()
    }

    @Test("reading pauses while a peer doesn't take a document that it asked for")
    func unreadDocument() async throws {
        let pair = try SyncPair()
        try pair.server.save("large", #"{"t":"\#(try Self.randomText(9 << 20))"}"#)
        let (ours, theirs) = MessagePipe.pair()
        Task { try? await pair.service.serve(theirs) }
        let taken = Notes<Int>()
        Task {
            let endpoint = try Endpoint()
            endpoint.send(BLIPOutgoing(["Profile": "subChanges"]))
            while let frame = try endpoint.nextFrame() { try await ours.send([frame]) }
            reading: for try await frame in ours.messages {
                for case .request(let request) in try endpoint.receive(frame) where request.wantsReply {
                    endpoint.reply(to: request.number, with: BLIPOutgoing(body: Array("[[]]".utf8)))
                    break reading
                }
            }
            for number in 0..<20_000 {
                endpoint.send(BLIPOutgoing(["Profile": "ping"]))
                while let frame = try endpoint.nextFrame() { try await ours.send([frame]) }
                taken.add(number)
            }
        }
        await eventually { !taken.all.isEmpty }
        let count = await settled { taken.all.count }
        #expect(count < 15_000, "\(count)")
        ours.cut()
        await eventually { pair.service.memory.total == 0 }
    }

    /// Made by libraries that are optimised: a letter at a time takes this module ten seconds.
    private static func randomText(_ byteCount: Int) throws -> String {
        Data(try SecureRandom.bytes(byteCount * 3 / 4)).base64EncodedString()
    }

    @Test("a peer that takes answers without acknowledging them is refused above a limit, and others aren't")
    func unacknowledged() async throws {
        let pair = try SyncPair()
        try pair.server.database.inBatch {
            for number in 0..<9_000 { try pair.server.save("\(number)", #"{"n":\#(number)}"#) }
        }
        let (ours, theirs) = MessagePipe.pair()
        Task { try? await pair.service.serve(theirs) }
        let endpoint = try Endpoint()
        // The answer to each names 9,000 revisions in an order of its own, and has more than a window even if it is deflated.
        let rows = (0..<9_000).map { #"["\#($0)","1-aa"]"# }
        let properties: BLIPProperties = ["Profile": "proposeChanges", "conflictIncludesRev": "true"]
        var random = SeededRandom()
        for _ in 0..<60 {
            let list = rows.shuffled(using: &random).joined(separator: ",")
            endpoint.send(BLIPOutgoing(properties, body: Array("[\(list)]".utf8), isCompressed: true))
        }
        while let frame = try endpoint.nextFrame() { try await ours.send([frame]) }
        var (begun, refused, complete): (Set<UInt8>, Int, Int) = ([], 0, 0)
        for try await frame in ours.messages {
            begun.insert(frame[0])
            for case .reply(let reply, _) in try endpoint.receive(frame) {
                if reply.error?.code == 503 { refused += 1 } else { complete += 1 }
            }
            if begun.count == 60 { break }
        }
        #expect((5...44).contains(refused) && complete == 0, "\(refused), \(complete)")
        #expect(pair.service.memory.total < 24 << 20, "\(pair.service.memory.total)")
        try pair.client.save("mine", "{}")
        try await pair.replicator().run()
        #expect(try pair.server.json("mine") == "{}")
        ours.cut()
    }

    @Test("a connection whose revisions wait for attachments is read on, although no memory is left")
    func attachmentsWithoutMemory() async throws {
        let pair = try SyncPair()
        for number in 0..<450 { try pair.client.save("\(number)", attachment: Array("content \(number)".utf8)) }
        pair.service.memory.add(1 << 30)
        let replicating = Task {
            // What is refused for now is left to the next run.
            while try pair.server.revisions != pair.client.revisions { try await pair.replicator().run() }
        }
        try await eventually { try pair.server.revisions == pair.client.revisions }
        replicating.cancel()
        pair.dialer.cut()
        await eventually { pair.service.memory.total == 1 << 30 && pair.service.memory.waitingCount == 0 }
    }

    @Test("a message that is larger than all connections together may hold is taken while there is no other")
    func largeMessage() async throws {
        let database = try SyncDatabase()
        var configuration = ServiceConfiguration(collections: [database.collection])
        configuration.heldByteLimit = 512 << 10
        let service = try ReplicationService(configuration)
        #expect(try await reply(to: largeRevision, service)?.error?.code == nil)
    }

    @Test("what a peer's requests wait for isn't done any more once it has left")
    func dropped() async throws {
        let pair = try SyncPair()
        let flood = Flood(pair.service, count: 400, waits: true) {
            $0 == 0 ? BLIPOutgoing(["Profile": "ping"]) : Kind.checkpoints.request($0)
        }
        await eventually { pair.service.status.connectionCount == 1 }
        let held = HeldDatabase(pair.server.database)
        flood.goOn()
        await eventually { flood.sentCount == 400 }
        flood.cut()
        await eventually { pair.service.status.connectionCount == 0 }
        held.release()
        try pair.client.save("mine", "{}")
        try await pair.replicator().run()
        #expect(try pair.server.json("mine") == "{}")
        // Until nothing more is stored.
        let stored = try await settled {
            Int(
                try pair.server.database.scalar(
                    sql: "SELECT count(*) FROM local_values WHERE store = 'peerCheckpoints' AND name LIKE '%/flood-%'"))
        }
        #expect(stored < 200, "\(stored) checkpoints of a peer that left were stored")
    }

    @Test("all connections together stay near one bound; large messages then wait, small ones and honest peers get on")
    func together() async throws {
        let (client, server) = (try SyncDatabase(), try SyncDatabase())
        var configuration = ServiceConfiguration(collections: [server.collection])
        configuration.heldByteLimit = 1 << 20
        let service = try ReplicationService(configuration)
        let floods = (0..<12).map { flood in
            Flood(service, count: 1_000, waits: true) {
                $0 == 0 ? BLIPOutgoing(["Profile": "ping"]) : Kind.checkpoints.request(flood * 10_000 + $0)
            }
        }
        await eventually { service.status.connectionCount == 12 }
        let held = HeldDatabase(server.database)
        for flood in floods { flood.goOn() }
        await eventually { service.memory.isExhausted }
        await Flood.settled(floods)
        #expect(service.memory.isExhausted)
        #expect(service.memory.total < 1 << 20 + 12 * 2 * PeerMemory.reserve, "\(service.memory.total)")
        let answer = try await reply(to: largeRevision, service)
        #expect(answer?.error?.code == 503, "\(String(describing: answer))")
        held.release()
        for number in 0..<50 { try client.save("mine-\(number)", "{}") }
        try server.save("theirs", "{}")
        var replication = ReplicatorConfiguration(collections: [client.collection], target: try SyncPair.target())
        replication.maxAttemptWaitTime = .milliseconds(5)
        try await Replicator(replication, dialing: LoopDialer(service).dial).run()
        #expect(try client.revisions == server.revisions && server.revisions.count == 51)
        for flood in floods { flood.cut() }
        await eventually { service.status.connectionCount == 0 && service.memory.total == 0 }
        #expect(try await reply(to: largeRevision, service)?.error?.code == nil)
    }

    private var largeRevision: BLIPOutgoing {
        let text = String(repeating: "x", count: 900_000)
        return BLIPOutgoing(["Profile": "rev", "id": "large", "rev": "1-aa"], body: Array(#"{"x":"\#(text)"}"#.utf8))
    }

    /// Sends a request on a connection of its own, and gives the answer.
    private func reply(to request: BLIPOutgoing, _ service: ReplicationService) async throws -> BLIPReply? {
        let (ours, theirs) = MessagePipe.pair()
        Task { try? await service.serve(theirs) }
        let endpoint = try Endpoint()
        endpoint.send(request)
        while let frame = try endpoint.nextFrame() { try await ours.send([frame]) }
        for try await frame in ours.messages {
            for case .reply(let reply, _) in try endpoint.receive(frame) {
                await ours.close(code: 1_000, reason: "")
                return reply
            }
            while let frame = try endpoint.nextFrame() { try await ours.send([frame]) }
        }
        return nil
    }

    @Test("who waits for memory is woken when others free it, and at once if there is room")
    func memory() {
        let memory = PeerMemory(limit: 100)
        let woken = Notes<Int>()
        memory.whenFree { woken.add(1) }
        #expect(woken.all == [1])
        memory.add(150)
        memory.whenFree { woken.add(2) }
        memory.whenFree { woken.add(3) }
        memory.add(-20)
        #expect(woken.all == [1] && memory.isExhausted && memory.free == -30)
        memory.add(-30)
        #expect(woken.all == [1, 2, 3] && !memory.isExhausted)
        memory.add(-100)
        #expect(memory.total == 0 && woken.all.count == 3)
        memory.add(101)
        let number = memory.whenFree { woken.add(4) }
        #expect(memory.waitingCount == 1)
        memory.forget(number)
        #expect(memory.waitingCount == 0)
        memory.add(-101)
        #expect(woken.all.count == 3)
    }
}
