@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import SealiteTransportTestSupport
import SealiteTransport
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

@Suite("peers that stand still")
struct StalledPeerTests {
    @Test("what stands still for the limit is noticed, each thing by itself, and progress or an end begin anew")
    func watch() {
        var watch = StallWatch(limit: .seconds(60))
        let begin = ContinuousClock.now
        func look(_ seconds: Int, _ waits: (StallWatch.Kind, UInt64)...) -> Bool {
            watch.look(
                waits.map { StallWatch.Wait(kind: $0.0, progress: $0.1) }, at: begin.advanced(by: .seconds(seconds)))
        }
        #expect(!look(0, (.sending, 1)) && !look(59, (.sending, 1)))
        // Progress.
        #expect(!look(60, (.sending, 2)) && !look(119, (.sending, 2)))
        // Nothing was waited for.
        #expect(!look(120) && !look(180, (.sending, 2)) && !look(239, (.sending, 2)))
        // Another thing's progress doesn't help.
        #expect(look(240, (.sending, 2), (.attachment, 9)))
        #expect(!look(241, (.acknowledgement, 2)))
    }

    @Test("less room is left as others take it, but for small messages always, and for one of any size at first")
    func rooms() {
        let memory = PeerMemory(limit: 64 << 20)
        memory.add(40 << 20)
        // By itself.
        #expect(memory.roomForMessages(collected: 30 << 20, counted: 40 << 20) == .max)
        #expect(memory.roomForMessages(collected: 1 << 20, counted: 1 << 20) == 25 << 20)
        #expect(memory.roomForAttachmentWaits(0) == 8 << 20)
        memory.add(30 << 20)
        #expect(memory.roomForMessages(collected: 0, counted: 0) == 2 * PeerMemory.reserve)
        #expect(memory.roomForMessages(collected: 0, counted: 40 << 20) == .max)
        #expect(memory.roomForAttachmentWaits(7 << 20) == 1 << 20)
        #expect(memory.roomForAttachmentWaits(0) == 2 * PeerMemory.reserve)
    }

    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case attachment, reading, acknowledging
        var testDescription: String { rawValue }
    }

    @Test(
        "a session that waits for its peer in vain ends, told to come back, and holds nothing more",
        arguments: Way.allCases)
    func ends(_ way: Way) async throws {
        let database = try SyncDatabase()
        // What deflates to less than a window is sent without an acknowledgement.
        var random = SeededRandom()
        let text = (0..<60_000).map { _ in String(random.next(), radix: 36) }.joined()
        try database.save("large", #"{"t":"\#(text)"}"#)
        var configuration = ServiceConfiguration(collections: [database.collection])
        configuration.stallLimit = .milliseconds(300)
        let service = try ReplicationService(configuration)
        let ended = way == .reading ? try await unread(service) : try await unanswered(service, way)
        #expect(ended == 4_001)
        await eventually { service.memory.total == 0 && service.status.connectionCount == 0 }
    }

    /// Sends requests and reads nothing until the session has ended; the close code.
    private func unread(_ service: ReplicationService) async throws -> Int? {
        let flood = Flood(service, count: 200_000) { _ in BLIPOutgoing(["Profile": "ping"]) }
        await flood.ended()
        do {
            for try await _ in flood.pipe.messages {}
        } catch {
            if case .closedByPeer(let code) = error.code { return code }
        }
        return nil
    }

    /// Reads all, but sends no attachment, or acknowledges nothing; the close code.
    private func unanswered(_ service: ReplicationService, _ way: Way) async throws -> Int? {
        let (ours, theirs) = MessagePipe.pair()
        Task { try? await service.serve(theirs) }
        let endpoint = try Endpoint()
        if way == .attachment {
            let digest = "sha1-" + TestDigest.sha1([1]).base64
            let body = #"{"b":{"@type":"blob","digest":"\#(digest)","length":1}}"#
            endpoint.send(BLIPOutgoing(["Profile": "rev", "id": "a", "rev": "1-aa"], body: Array(body.utf8)))
        } else {
            endpoint.send(BLIPOutgoing(["Profile": "subChanges", "continuous": "true"]))
        }
        while let frame = try endpoint.nextFrame() { try await ours.send([frame]) }
        do {
            for try await frame in ours.messages {
                for case .request(let request) in try endpoint.receive(frame) where request.profile == "changes" {
                    endpoint.reply(to: request.number, with: BLIPOutgoing(body: Array("[[]]".utf8)))
                }
                while let frame = try endpoint.nextFrame() {
                    // The flags follow the number, which is small here.
                    let isAcknowledgement = BLIPFlags(rawValue: frame[1]).type?.isAcknowledgement ?? false
                    if !isAcknowledgement { try await ours.send([frame]) }
                }
            }
        } catch let error as TransportError {
            if case .closedByPeer(let code) = error.code { return code }
        }
        return nil
    }
}
