@testable import SealiteProtocolTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteProtocol
import SealiteRevisions

@Suite("BLIP multiplexers under random traffic")
struct BLIPRandomTests {
    @Test(
        "random messages arrive intact in both directions, in order and within bounds",
        arguments: TestSeed.seeds(Effort.current == .soak ? 100 : 6))
    func randomTraffic(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let peers = [try Peer(level: Int.random(in: 0...9, using: &random)), try Peer(level: 6)]
        // BLIP frames on their way, per receiver.
        var wire: [[[UInt8]]] = [[], []]
        var remaining = 150
        while remaining > 0 || peers.contains(where: { !$0.isIdle }) || wire.contains(where: { !$0.isEmpty }) {
            let side = Int.random(in: 0...1, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where remaining > 0:
                remaining -= 1
                peers[side].sendRandom(&random)
            case 1...4: if let frame = try peers[side].multiplexer.nextFrame() { wire[1 - side].append(frame) }
            case 5...8: if !wire[side].isEmpty { try peers[side].receive(wire[side].removeFirst()) }
            default: peers[side].work(&random)
            }
            // Bounded by what is unsent, whatever the interleaving.
            #expect(wire[side].allSatisfy { $0.count <= 16_384 })
        }
        let counts = peers.map(\.counts)
        #expect(counts[0].sent == counts[1].received && counts[1].sent == counts[0].received, "seed \(seed)")
        #expect(peers.allSatisfy { $0.replies == $0.expectedReplies && $0.failures.isEmpty }, "seed \(seed)")
        #expect(peers.allSatisfy { $0.multiplexer.collectedByteCount == 0 && $0.multiplexer.unsentByteCount == 0 })
    }
}

/// One side of the random traffic: a multiplexer, what it sent, and what came.
final class Peer {
    var multiplexer: BLIPMultiplexer
    private var expected: [BLIPTicket: (reply: [UInt8], isError: Bool)] = [:]
    private var streams: [BLIPTicket: [UInt8]] = [:]
    private var inbox: [BLIPRequest] = []
    private var lastUrgency: [Bool: Int] = [:]
    private(set) var counts = (sent: 0, received: 0)
    private(set) var replies = 0
    private(set) var expectedReplies = 0
    private(set) var failures: [String] = []

    init(level: Int) throws {
        var limits = BLIPLimits()
        limits.compressionLevel = level
        multiplexer = try BLIPMultiplexer(limits: limits)
    }

    var isIdle: Bool { !multiplexer.hasFrames && inbox.isEmpty && expected.isEmpty && multiplexer.unsentByteCount == 0 }

    func sendRandom(_ random: inout SeededRandom) {
        // The body says what the reply must be, so that the other side needs to know nothing else.
        let size = [0, 3, 500, 16_360, 40_000, 300_000].randomElement(using: &random) ?? 0
        let bytes = Self.randomBytes(Int.random(in: 0...size, using: &random), &random)
        let wantsError = Int.random(in: 0..<5, using: &random) == 0
        let isNoReply = Int.random(in: 0..<4, using: &random) == 0
        let message = BLIPOutgoing(
            ["Profile": wantsError ? "fail" : "echo", "sum": String(Self.sum(bytes))], body: bytes,
            isCompressed: .random(using: &random), isUrgent: .random(using: &random), isNoReply: isNoReply)
        let isStreaming = Bool.random(using: &random)
        let ticket = multiplexer.send(message, isStreamingReply: isStreaming)
        counts.sent += 1
        guard !isNoReply else { return }
        expectedReplies += 1
        expected[ticket] = (wantsError ? [] : bytes, wantsError)
    }

    func receive(_ frame: [UInt8]) throws {
        for action in try multiplexer.receive(frame) {
            switch action {
            case .request(let request):
                counts.received += 1
                if request.properties["sum"] != String(Self.sum(request.body)) { failures.append("request") }
                inbox.append(request)
            case .reply(let reply, let ticket): check(reply.body, isError: reply.error != nil, ticket)
            case .replyBegan(_, let ticket): streams[ticket] = []
            case .replyPiece(let piece, let ticket): streams[ticket]?.append(contentsOf: piece)
            case .replyEnded(let ticket): check(streams.removeValue(forKey: ticket) ?? [0], isError: false, ticket)
            case .requestRejected, .replyRejected: failures.append("rejected")
            }
        }
    }

    /// Answers a request in any order, uses pieces, supplies bodies.
    func work(_ random: inout SeededRandom) {
        for ticket in streams.keys { multiplexer.acknowledgePieces(of: ticket) }
        guard let index = inbox.indices.randomElement(using: &random) else { return }
        let request = inbox.remove(at: index)
        if request.profile == "fail" {
            multiplexer.reply(to: request.number, error: BLIPErrorReply(code: 500))
        } else {
            multiplexer.reply(
                to: request.number, with: BLIPOutgoing(body: request.body, isCompressed: .random(using: &random)))
        }
    }

    private func check(_ body: [UInt8], isError: Bool, _ ticket: BLIPTicket) {
        replies += 1
        guard let expected = expected.removeValue(forKey: ticket) else {
            failures.append("unexpected reply")
            return
        }
        if expected.isError != isError || (!isError && expected.reply != body) { failures.append("reply") }
    }

    // The same within a process, and fast without optimisation.
    private static func sum(_ bytes: [UInt8]) -> Int { bytes.hashValue }

    /// Bytes that do not compress, cut out of a pool because generating them takes long without optimisation.
    private static func randomBytes(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        let offset = Int.random(in: 0...(pool.count - count), using: &random)
        return Array(pool[offset..<offset + count])
    }

    private static let pool: [UInt8] = {
        var random = SeededRandom(part: 1)
        return random.bytes(400_000)
    }()
}
