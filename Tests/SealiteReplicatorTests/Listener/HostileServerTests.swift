@testable import SealiteProtocol
@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport
import SealiteTransportTestSupport
import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteReplicator
import SealiteRevisions

@Suite("replicators and hostile servers, over sockets", .serialized, .takesSocketTurn)
struct HostileServerTests {
    private func configuration(
        _ database: SyncDatabase, _ peer: HostilePeer, _ type: ReplicatorType
    ) throws -> ReplicatorConfiguration {
        var configuration = ReplicatorConfiguration(collections: [database.collection], target: try peer.target)
        configuration.replicatorType = type
        configuration.maxAttemptWaitTime = .milliseconds(20)
        return configuration
    }

    private static func changes(_ body: String, isCompressed: Bool = false, isNoReply: Bool = false) -> BLIPOutgoing {
        BLIPOutgoing(
            ["Profile": "changes", "collection": "0"], body: Array(body.utf8), isCompressed: isCompressed,
            isNoReply: isNoReply)
    }

    private static func revision(_ id: String, _ sequence: Int, _ body: String) -> BLIPOutgoing {
        BLIPOutgoing(
            ["Profile": "rev", "collection": "0", "id": id, "rev": "1-\(id)", "sequence": "\(sequence)"],
            body: Array(body.utf8))
    }

    /// A server that wants every revision it is offered, and reacts to all else as it is told.
    private static func wanting(
        _ react: @escaping @Sendable (_ profile: String?) -> HostilePeer.Reaction
    ) async throws -> HostilePeer {
        try await HostilePeer.start { action, endpoint in
            guard case .request(let request) = action else { return .ordinary }
            guard request.profile == "proposeChanges" else { return react(request.profile) }
            endpoint.reply(to: request.number, with: BLIPOutgoing(body: Array("[]".utf8)))
            return .done
        }
    }

    /// 400 documents of 8,000 bytes that hardly compress.
    private static func fill(_ database: SyncDatabase) throws {
        var random = SeededRandom()
        try database.database.write { _ in
            for index in 0..<400 {
                let text = (0..<500).map { _ in String(random.next() | 1 << 60, radix: 16) }.joined()
                try database.save("d\(index)", #"{"t":"\#(text)"}"#)
            }
        }
    }

    private static func blob(_ digest: String) -> String {
        #"{"p":{"@type":"blob","digest":"\#(digest)","length":12}}"#
    }
    private static let lying = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
    private static let endless = "sha1-ArH2IhJgRp/90GRqSAdAfa750BA="

    @Test(
        "of what a server gives, what can be taken is stored, and the rest is told; an endless attachment holds up nothing"
    )
    func pull() async throws {
        let revisions = [
            Self.revision("a", 1, "not JSON"), Self.revision("b", 2, #"{"n":1,"_id":"other"}"#),
            Self.revision("c", 3, Self.blob(Self.lying)), Self.revision("d", 4, Self.blob(Self.endless)),
            Self.revision("e", 5, #"{"good":true}"#),
        ]
        let peer = try await HostilePeer.start { action, endpoint in
            switch action {
            case .request(let request) where request.profile == "subChanges":
                endpoint.reply(to: request.number)
                let rows = "abcde".enumerated().map { #"[\#($0 + 1),"\#($1)","1-\#($1)"]"# }
                endpoint.send(Self.changes("[\(rows.joined(separator: ","))]"))
                return .done
            case .request(let request) where request.profile == "getAttachment":
                if request.properties["digest"] == Self.endless {
                    endpoint.reply(to: request.number, with: BLIPOutgoing(isStreamed: true))
                } else {
                    endpoint.reply(to: request.number, with: BLIPOutgoing(body: Array("Hello, blub!".utf8)))
                }
                return .done
            case .reply(let reply, _) where reply.body.first == UInt8(ascii: "["):
                for revision in revisions { endpoint.send(revision) }
                endpoint.send(Self.changes("[]", isNoReply: true))
                return .done
            default: return .ordinary
            }
        }
        let database = try SyncDatabase()
        let replicator = try Replicator(try configuration(database, peer, .pull))
        let told = try await replicator.documentsOfRun().told.flatMap(\.documents).filter { $0.error != nil }
        #expect(Set(told.map(\.id)) == ["a", "c", "d"])
        #expect(told.filter { $0.id != "a" }.allSatisfy { $0.error?.code == .corruptAttachment })
        #expect(try database.json("e") == #"{"good":true}"# && database.json("b") == #"{"n":1}"#)
        #expect(try database.revisions.count == 2 && database.findings.isEmpty)
        await peer.stop()
    }

    @Test("a list of a million changes, and ten thousand messages that are begun, end it as violations of the protocol")
    func floods() async throws {
        for isList in [true, false] {
            let peer = try await HostilePeer.start(frameByteCount: isList ? 16_384 : 64) { action, endpoint in
                guard case .request(let request) = action, request.profile == "subChanges" else { return .ordinary }
                endpoint.reply(to: request.number)
                guard !isList else {
                    let rows = String(repeating: #"[1,"a","1-a"],"#, count: 1_000_000)
                    endpoint.send(Self.changes("[\(rows)0]", isCompressed: true))
                    return .done
                }
                for _ in 0..<10_000 {
                    endpoint.send(
                        BLIPOutgoing(["Profile": "rev"], body: [UInt8](repeating: 0x2A, count: 100), isStreamed: true))
                }
                return .done
            }
            let database = try SyncDatabase()
            let replicator = try Replicator(try configuration(database, peer, .pull))
            await #expect(throws: ReplicatorError(.protocolViolation, "")) { try await replicator.run() }
            #expect(replicator.status.error?.isTransient == false && peer.connectionCount == 1)
            await peer.stop()
        }
    }

    @Test("a server that stops reading is left by the heartbeat, and stopping doesn't wait for it")
    func stopsReading() async throws {
        let peer = try await Self.wanting { $0 == "rev" ? .stopReading : .ordinary }
        let database = try SyncDatabase()
        try Self.fill(database)
        var configuration = try configuration(database, peer, .push)
        configuration.continuous = true
        configuration.heartbeat = .milliseconds(500)
        let replicator = try Replicator(configuration)
        replicator.start()
        await eventually { peer.connectionCount >= 2 }
        #expect(try await replicator.pendingDocumentIDs(in: database.collection).count == 400)
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        await peer.stop()
    }

    @Test(
        "a server that answers nothing more doesn't keep a replicator that is told to stop", arguments: [true, false])
    func silent(isReading: Bool) async throws {
        // What is answered makes a checkpoint, whose saving stopping waits for.
        let peer = try await Self.wanting { profile in
            guard profile == "setCheckpoint" else { return .ordinary }
            return isReading ? .done : .stopReading
        }
        let database = try SyncDatabase()
        try Self.fill(database)
        var configuration = try configuration(database, peer, .push)
        configuration.continuous = true
        let replicator = try Replicator(configuration)
        replicator.start()
        await eventually { replicator.status.progress.documentCount > 0 }
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        await peer.stop()
    }
}
