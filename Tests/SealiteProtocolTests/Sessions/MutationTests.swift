@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import SealiteTestSupport
import Testing
import SealiteRevisions

@Suite("random changes to recorded messages")
struct MutationTests {
    /// Requests of recorded exchanges, of every profile and from both sides.
    private static let requests: [BLIPRequest] = Transcript.all.flatMap { transcript -> [BLIPRequest] in
        guard transcript.name.contains("revtrees") || transcript.name.contains("sg-3.3.7") else { return [] }
        let messages = (try? transcript.messages()) ?? []
        return messages.filter { $0.type == .request && $0.body.count < 5_000 }.map(\.request)
    }

    private static func mutate(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        guard !bytes.isEmpty else { return Bool.random(using: &random) ? [] : random.bytes(3) }
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.insert(UInt8(ascii: "\""), at: index)
            case 2: bytes.insert(contentsOf: Array("[[{}],-1e999,null]".utf8), at: index)
            case 3: bytes.removeSubrange(index..<min(bytes.count, index + 5))
            default: bytes += bytes[index...].prefix(50)
            }
            if bytes.isEmpty { bytes = [0] }
        }
        return bytes
    }

    private static func mutate(_ request: BLIPRequest, number: UInt64, _ random: inout SeededRandom) -> BLIPRequest {
        var properties = request.properties
        if Int.random(in: 0..<3, using: &random) == 0, let pair = properties.pairs.randomElement(using: &random) {
            let value = String(decoding: mutate(Array(pair.value.utf8), &random), as: UTF8.self)
            properties[pair.name] = Bool.random(using: &random) ? value : nil
        }
        if Int.random(in: 0..<4, using: &random) == 0 { properties["collection"] = "0" }
        let body = Bool.random(using: &random) ? mutate(request.body, &random) : request.body
        return BLIPRequest(number: number, properties: properties, body: body, flags: request.flags)
    }

    @Test("sessions take whatever a peer says without harm, and answer each request once")
    func sessions() throws {
        let answeredCount = try TestSeed.seeds(4).reduce(0) { try $0 + answeredMutations(seed: $1) }
        #expect(answeredCount > 2_000)
    }

    private func answeredMutations(seed: UInt64) throws -> Int {
        var random = SeededRandom(seed: seed)
        let store = MemoryStore()
        store.save("d1", "{}")
        let passive = try Driver(PassiveSession(.init(collections: ["_default"])), store)
        let active = try Driver(ActiveSession(.one(isContinuous: true)), store)
        active.start()
        for number in 1...1_000 as ClosedRange<UInt64> {
            guard let request = Self.requests.randomElement(using: &random) else { break }
            passive.receive(Self.mutate(request, number: number, &random))
            active.receive(Self.mutate(request, number: number, &random))
            // A session that a bad list ended says nothing any more.
            if active.isClosed { active.restart(ActiveSession(.one(isContinuous: true))) }
        }
        #expect(passive.answeredTwice.isEmpty && active.answeredTwice.isEmpty, "seed \(seed)")
        return passive.answeredCount
    }

    /// A session whose database is real and whose peer answers every request of it with nonsense.
    private final class Driver<Session: ReplicationSession> {
        private var session: Session
        private let store: MemoryStore
        private var answered: Set<UInt64> = []
        private(set) var answeredTwice: Set<UInt64> = []
        private(set) var isClosed = false
        private let now = Now(moment: ContinuousClock.now, unixSeconds: 0)

        init(_ session: Session, _ store: MemoryStore) throws {
            self.session = session
            self.store = store
        }

        var answeredCount: Int { answered.count }

        func start() { perform(session.start(at: now)) }

        func restart(_ session: Session) {
            self.session = session
            isClosed = false
            start()
        }

        func receive(_ request: BLIPRequest) {
            perform(session.receive(request, at: now))
            let later = Now(moment: now.moment.advanced(by: .seconds(1)), unixSeconds: 0)
            perform(session.wake(at: later))
        }

        private func perform(_ actions: [SessionAction]) {
            for action in actions {
                switch action {
                case .reply(let number, _), .refuse(let number, _), .serveAttachment(let number, _, _),
                    .proveAttachment(let number, _, _):
                    if !answered.insert(number).inserted { answeredTwice.insert(number) }
                case .store(let request, let collection, let task):
                    #expect(collection == 0)
                    perform(session.finish(task, .store(store.perform(request)), at: now))
                case .send(let message, let task):
                    let body = message.properties["Profile"] == "getCollections" ? "[{}]" : "[0,[],304]"
                    perform(session.finish(task, .reply(BLIPReply(body: Array(body.utf8))), at: now))
                case .fetchAttachment(_, _, _, let task):
                    perform(session.finish(task, .attachment(.corrupt), at: now))
                case .close: isClosed = true
                case .sendOnly, .documents, .status: break
                }
            }
        }
    }

    @Test("a multiplexer takes changed BLIP frames without harm", arguments: TestSeed.seeds(4))
    func frames(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var failures: Set<String> = []
        for _ in 0..<200 {
            var encoder = BLIPEncoder(compressionLevel: 6)
            var multiplexer = try BLIPMultiplexer()
            multiplexer.send(BLIPOutgoing(["Profile": "x"]), isStreamingReply: Bool.random(using: &random))
            _ = try multiplexer.nextFrame()
            for number in 1...20 as ClosedRange<UInt64> {
                guard let request = Self.requests.randomElement(using: &random) else { break }
                // The checksum is right, so that what lies behind it is reached; or the whole BLIP frame is changed.
                let payload = Self.mutate(request.properties.encoded() + request.body.prefix(200), &random)
                let flags = BLIPFlags(rawValue: [0, 0, 0, 1, 2, 8, 0x40, 0x18].randomElement(using: &random) ?? 0)
                var frame = try encoder.frame(
                    number: flags.type == .request ? number : 1, flags: flags, payload: payload[...])
                if Int.random(in: 0..<10, using: &random) == 0 { frame = Self.mutate(frame, &random) }
                do throws(BLIPError) {
                    _ = try multiplexer.receive(frame)
                } catch {
                    failures.insert(error.code.text)
                    break
                }
            }
        }
        #expect(failures.contains("bad checksum") && failures.contains("bad properties"), "seed \(seed): \(failures)")
    }
}
