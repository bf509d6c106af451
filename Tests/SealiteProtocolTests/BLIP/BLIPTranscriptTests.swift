@testable import SealiteProtocolTestSupport
import Testing

@testable import SealiteProtocol

@Suite("BLIP codec on recorded exchanges")
struct BLIPTranscriptTests {
    @Test("the index names every recorded exchange")
    func indexIsComplete() {
        #expect(Transcript.all.count == 273)
        #expect(Transcript.all.reduce(0) { $0 + $1.frameCount } == 5_761)
        #expect(Transcript.all.reduce(0) { $0 + $1.messageCount } == 5_635)
    }

    @Test("every BLIP frame decodes to what was recorded", arguments: Transcript.all)
    func framesDecode(_ transcript: Transcript) throws {
        let frames = try transcript.frames()
        #expect(frames.count == transcript.frameCount)
        var messageCount = 0
        for (_, frames) in Dictionary(grouping: frames, by: { Direction($0) }) {
            messageCount += try replay(frames, mayHaveBadChecksum: transcript.name.hasSuffix("/bad_checksum"))
        }
        #expect(messageCount == transcript.messageCount)
    }

    @Test("what the active side sent decodes to the same when it is encoded again", arguments: Transcript.all)
    func requestsEncode(_ transcript: Transcript) throws {
        let frames = try transcript.frames().filter { $0.isFromActive && $0.type == "MSG" && $0.flags & 0x40 == 0 }
        for (_, frames) in Dictionary(grouping: frames, by: \.connection) {
            var sender = try BLIPMultiplexer()
            var receiver = try BLIPMultiplexer()
            for frame in frames {
                guard case .bytes(let body)? = frame.body, let properties = frame.properties else { continue }
                let flags = BLIPFlags(rawValue: frame.flags)
                var sorted = BLIPProperties()
                for name in properties.keys.sorted() { sorted[name] = properties[name] }
                sender.send(
                    BLIPOutgoing(
                        sorted, body: body, isCompressed: flags.contains(.compressed),
                        isUrgent: flags.contains(.urgent), isNoReply: flags.contains(.noReply)))
                var received: [BLIPAction] = []
                while let bytes = try sender.nextFrame() { received += try receiver.receive(bytes) }
                guard case .request(let request)? = received.first, received.count == 1 else {
                    Issue.record("line \(frame.line) gave \(received.count) actions")
                    return
                }
                #expect(request.properties.dictionary == properties)
                #expect(request.body == body)
                #expect(request.flags == flags)
            }
        }
    }

    private struct Direction: Hashable {
        let connection: Int
        let isFromActive: Bool

        init(_ frame: RecordedFrame) {
            connection = frame.connection
            isFromActive = frame.isFromActive
        }
    }

    /// Decodes one direction of a connection and returns the number of complete messages.
    private func replay(_ frames: [RecordedFrame], mayHaveBadChecksum: Bool) throws -> Int {
        var decoder = try BLIPDecoder(limits: BLIPLimits())
        var begun: [String: BLIPIncoming] = [:]
        var messageCount = 0
        for frame in frames {
            let header: BLIPFrameHeader
            let content: BLIPDecoder.Content
            do {
                (header, content) = try decoder.decode(frame.bytes[...])
            } catch {
                #expect(error.code == .badChecksum && mayHaveBadChecksum && frame.isFromActive && frame.number == 2)
                messageCount += 1
                continue
            }
            #expect(header.number == frame.number && header.flags.rawValue == frame.flags, "line \(frame.line)")
            switch content {
            case .acknowledged(let count): #expect(count == frame.acknowledged, "line \(frame.line)")
            case .payload(let payload, let wireByteCount):
                #expect(payload.count == frame.payloadLength, "line \(frame.line)")
                #expect(frame.bytes.suffix(4).map { $0 } == frame.checksum.flatMap { [UInt8](hex: $0) })
                let key = "\(frame.type == "MSG") \(frame.number)"
                var message = begun.removeValue(forKey: key) ?? BLIPIncoming(flags: header.flags, isStreamed: false)
                try message.append(payload, wireByteCount: wireByteCount, propertiesLimit: 102_400)
                if header.flags.contains(.moreComing) {
                    begun[key] = message
                    continue
                }
                messageCount += 1
                #expect(message.properties?.dictionary == frame.properties, "line \(frame.line)")
                #expect(frame.body?.matches(message.buffer) == true, "line \(frame.line)")
            }
        }
        return messageCount
    }
}

extension BLIPProperties {
    /// The pairs without their order.
    var dictionary: [String: String] {
        Dictionary(pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
