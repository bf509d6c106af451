@testable import SealiteProtocolTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteProtocol

@Suite("BLIP multiplexer")
struct BLIPMultiplexerTests {
    @Test("a request reaches its reply, and an error its request")
    func requestAndReply() throws {
        let (left, right) = (try Endpoint(), try Endpoint())
        let first = left.send(BLIPOutgoing(["Profile": "a"]))
        let second = left.send(BLIPOutgoing(["Profile": "b"], isUrgent: true))
        #expect(try right.receiveAll(from: left).count == 2)
        right.reply(to: 2, error: BLIPErrorReply(domain: "LiteCore", code: 8, message: "conflict"))
        right.reply(to: 1, with: BLIPOutgoing(["rev": "0-1"], body: [1]))
        let error = BLIPErrorReply(domain: "LiteCore", code: 8, message: "conflict")
        let actions = try left.receiveAll(from: right)
        #expect(actions.contains(.reply(BLIPReply(properties: ["rev": "0-1"], body: [1]), to: first)))
        let failed = actions.compactMap { action in
            if case .reply(let reply, let ticket) = action, ticket == second { reply.error } else { nil }
        }
        #expect(failed == [error])
        #expect(left.multiplexer.awaitedReplyCount == 0 && right.multiplexer.unansweredRequestCount == 0)
    }

    @Test("a request without a reply gets none, whatever its handler does")
    func noReply() throws {
        let (left, right) = (try Endpoint(), try Endpoint())
        left.send(BLIPOutgoing(["Profile": "a"], isNoReply: true))
        _ = try right.receiveAll(from: left)
        right.reply(to: 1)
        right.reply(to: 1, error: BLIPErrorReply(code: 500))
        #expect(try right.nextFrame() == nil)
        #expect(left.multiplexer.awaitedReplyCount == 0)
    }

    @Test("a second reply is not sent")
    func oneReply() throws {
        let (left, right) = (try Endpoint(), try Endpoint())
        left.send(BLIPOutgoing())
        _ = try right.receiveAll(from: left)
        right.reply(to: 1)
        right.reply(to: 1)
        #expect(try left.receiveAll(from: right).count == 1)
    }

    @Test("request numbers that repeat or skip end the connection", arguments: [0, 1, 3, UInt64.max])
    func badNumbers(_ number: UInt64) throws {
        let encoder = try Coder(level: 6)
        let receiver = try Endpoint()
        _ = try receiver.receive(encoder.frame(number: 1, flags: [], payload: [0]))
        let frame = try encoder.frame(number: number, flags: [], payload: [0])
        #expect(throws: BLIPError(.badMessageNumber, "")) { try receiver.receive(frame) }
    }

    @Test("a reply to a request not yet sent ends the connection; one to a request without reply is dropped")
    func strayReplies() throws {
        let encoder = try Coder(level: 6)
        let sender = try Endpoint()
        sender.send(BLIPOutgoing(isNoReply: true))
        _ = try sender.nextFrame()
        #expect(try sender.receive(encoder.frame(number: 1, flags: BLIPFlags(.reply), payload: [0])) == [])
        let frame = try encoder.frame(number: 2, flags: BLIPFlags(.reply), payload: [0])
        #expect(throws: BLIPError(.unexpectedReply, "")) { try sender.receive(frame) }
    }

    @Test("BLIP frames never exceed 16,384 bytes, nor 4,096 while an urgent message waits")
    func frameSizes() throws {
        let (left, right) = (try Endpoint(), try Endpoint())
        var random = SeededRandom(part: 1)
        left.send(BLIPOutgoing(body: random.bytes(100_000), isCompressed: true))
        left.send(BLIPOutgoing(body: random.bytes(40_000)))
        left.send(BLIPOutgoing(body: random.bytes(20_000), isUrgent: true))
        var sizes: [Int] = []
        var actions: [BLIPAction] = []
        while let frame = try left.nextFrame() {
            sizes.append(frame.count)
            actions += try right.receive(frame)
        }
        #expect(actions.count == 3)
        #expect(sizes.max() ?? 0 <= 16_384)
        #expect(sizes.max() ?? 0 > 16_200)
        #expect(sizes.contains { $0 > 4_000 && $0 <= 4_096 })
    }

    @Test("an urgent message overtakes begun ones, leaving one normal message between urgent ones")
    func urgency() throws {
        var outbox = BLIPOutbox()
        func message(_ number: UInt64, urgent: Bool) -> BLIPOutbound {
            var message = BLIPOutbound(
                BLIPOutgoing(), flags: BLIPFlags(.reply, urgent ? [.urgent] : []), number: number)
            message.sentByteCount = 1
            return message
        }
        for number in 1...4 as ClosedRange<UInt64> { outbox.append(message(number, urgent: false)) }
        outbox.append(message(5, urgent: true))
        outbox.append(message(6, urgent: true))
        var order: [UInt64] = []
        while let next = outbox.popFirst() { order.append(next.number) }
        #expect(order == [1, 5, 2, 6, 3, 4])
    }

    @Test("a message pauses at 128,000 bytes unacknowledged while others go on, and continues at the acknowledgement")
    func flowControl() throws {
        var random = SeededRandom(part: 2)
        let (left, right) = (try Endpoint(), try Endpoint())
        left.send(BLIPOutgoing(["Profile": "large"], body: random.bytes(400_000)))
        var sent: [[UInt8]] = []
        while let frame = try left.nextFrame() { sent.append(frame) }
        let byteCount = sent.reduce(0) { $0 + $1.count - 2 }
        #expect(byteCount >= 128_000 && byteCount < 128_000 + 16_384)
        left.send(BLIPOutgoing(["Profile": "small"]))
        sent.append(try #require(try left.nextFrame()))
        #expect(try left.nextFrame() == nil)
        // The receiver acknowledges as soon as 50,000 bytes came.
        var acknowledged: [[UInt8]] = []
        for frame in sent {
            _ = try right.receive(frame)
            while let frame = try right.nextFrame() { acknowledged.append(frame) }
        }
        #expect(acknowledged.allSatisfy { $0[1] == 0x34 })
        #expect(acknowledged.count == 2)
        // More than was sent, or of an unknown message, means nothing.
        _ = try left.receive(BLIPEncoder.acknowledgement(number: 1, ofReply: false, receivedByteCount: 1_000_000))
        _ = try left.receive(BLIPEncoder.acknowledgement(number: 9, ofReply: true, receivedByteCount: 1))
        #expect(try left.nextFrame() == nil)
        for frame in acknowledged { _ = try left.receive(frame) }
        #expect(try left.nextFrame() != nil)
    }

    @Test("a message over the limit is answered with 413 and the connection goes on")
    func messageTooLarge() throws {
        var limits = BLIPLimits()
        limits.messageByteCount = 50_000
        let (left, right) = (try Endpoint(), try Endpoint(limits: limits))
        let large = left.send(BLIPOutgoing(["Profile": "rev", "id": "a"], body: [UInt8](repeating: 1, count: 300_000)))
        left.send(BLIPOutgoing(["Profile": "rev", "id": "b"]))
        let received = try Endpoint.pump(left, right)
        #expect(received.right.count == 2)
        #expect(
            received.right.contains {
                guard case .requestRejected(let request, let error) = $0 else { return false }
                return error.code == .messageTooLarge && request.properties["id"] == "a" && request.body.isEmpty
            })
        guard case .reply(let reply, large)? = received.left.first else {
            Issue.record("no reply")
            return
        }
        #expect(reply.error?.code == 413)
        #expect(right.multiplexer.collectedByteCount == 0)
    }

    @Test("requests beyond the number of open ones wait for replies, in order, those without a reply too")
    func heldBack() throws {
        var limits = BLIPLimits()
        limits.openRequestCount = 2
        let (left, right) = (try Endpoint(limits: limits), try Endpoint())
        let profiles = ["a", "b", "c", "d", "e"]
        let tickets = profiles.map { left.send(BLIPOutgoing(["Profile": $0], isNoReply: $0 == "d")) }
        func received() throws -> [String] {
            try right.receiveAll(from: left).compactMap { action in
                if case .request(let request) = action { request.profile } else { nil }
            }
        }
        #expect(try received() == ["a", "b"])
        #expect(left.multiplexer.unsentMessageCount == 3 && left.multiplexer.unsentByteCount > 0)
        right.reply(to: 2)
        #expect(try left.receiveAll(from: right).count == 1)
        #expect(try received() == ["c", "d"])
        right.reply(to: 1, error: BLIPErrorReply(code: 500))
        right.reply(to: 3)
        _ = try left.receiveAll(from: right)
        #expect(try received() == ["e"] && left.multiplexer.unsentByteCount == 0)
        left.send(BLIPOutgoing(["Profile": "f"], isNoReply: true))
        #expect(try received() == ["f"])
        let more = (0..<3).map { _ in left.send(BLIPOutgoing(["Profile": "g"])) }
        #expect(left.multiplexer.close() == [tickets[4]] + more)
    }

    @Test("unfinished messages share a limit, and so does their number")
    func unfinishedMessages() throws {
        var limits = BLIPLimits()
        limits.collectedByteCount = 10_000
        limits.unfinishedMessageCount = 20
        let encoder = try Coder(level: 6)
        let receiver = try Endpoint(limits: limits)
        let payload = [0] + [UInt8](repeating: 1, count: 1_000)
        for number in 1...20 as ClosedRange<UInt64> {
            #expect(
                try receiver.receive(encoder.frame(number: number, flags: [.moreComing], payload: payload[...])) == [])
            #expect(receiver.multiplexer.collectedByteCount <= 10_000)
        }
        // What was too much only together may come again.
        let end = try receiver.receive(encoder.frame(number: 20, flags: [], payload: [1]))
        guard case .requestRejected(_, let error)? = end.first else {
            Issue.record("\(end)")
            return
        }
        #expect(error.code == .tooMuchAtOnce && error.status == 503)
        let last = try encoder.frame(number: 21, flags: [.moreComing], payload: [0])
        #expect(try receiver.receive(last) == [])
        let frame = try encoder.frame(number: 22, flags: [.moreComing], payload: [0])
        #expect(throws: BLIPError(.tooManyMessages, "")) { try receiver.receive(frame) }
    }

    @Test("a request that is too much at once before its properties are complete is answered with 503")
    func incompleteProperties() throws {
        var limits = BLIPLimits()
        limits.collectedByteCount = 10_000
        let (encoder, receiver) = (try Coder(level: 6), try Endpoint(limits: limits))
        let properties: BLIPProperties = ["Profile": "rev", "id": String(repeating: "a", count: 20_000)]
        let payload = properties.encoded()
        #expect(
            try receiver.receive(encoder.frame(number: 1, flags: [.moreComing], payload: payload[..<15_000])) == [])
        let end = try receiver.receive(encoder.frame(number: 1, flags: [], payload: payload[15_000...]))
        guard case .requestRejected(let request, let error)? = end.first else {
            Issue.record("\(end)")
            return
        }
        #expect(error.status == 503 && request.properties.isEmpty && receiver.multiplexer.collectedByteCount == 0)
        #expect(try receiver.nextFrame() != nil)
        // The connection goes on.
        let next = try receiver.receive(encoder.frame(number: 2, flags: [], payload: [0]))
        #expect(next.count == 1)
    }

    @Test("a peer with ten thousand unanswered requests is cut off at the limit")
    func unansweredRequests() throws {
        let (left, right) = (try Endpoint(), try Endpoint())
        for _ in 0..<10_000 { left.send(BLIPOutgoing()) }
        #expect(throws: BLIPError(.tooManyMessages, "")) { try right.receiveAll(from: left) }
        #expect(right.multiplexer.unansweredRequestCount == 8_192)
    }

    @Test("a streamed reply comes in pieces and is held back until they are used")
    func streamedReply() throws {
        let (left, right) = (try Endpoint(), try Endpoint())
        var random = SeededRandom(part: 3)
        let body = random.bytes(1_000_000)
        let ticket = left.send(BLIPOutgoing(["Profile": "getAttachment"]), isStreamingReply: true)
        _ = try right.receiveAll(from: left)
        right.reply(to: 1, with: BLIPOutgoing(["length": "1000000"], body: body))
        var received: [UInt8] = []
        var began = 0
        var ended = 0
        for round in 0..<40 where ended == 0 {
            let before = received.count
            for action in try left.receiveAll(from: right) {
                switch action {
                case .replyBegan(let properties, ticket):
                    began += 1
                    #expect(properties == ["length": "1000000"])
                case .replyPiece(let piece, ticket): received += piece
                case .replyEnded(ticket): ended += 1
                default: Issue.record("\(action)")
                }
            }
            #expect(received.count - before <= 160_000, "round \(round)")
            left.multiplexer.acknowledgePieces(of: ticket)
            _ = try right.receiveAll(from: left)
        }
        #expect(received == body && began == 1 && ended == 1)
        #expect(left.multiplexer.collectedByteCount == 0)
    }

    @Test("a peer that streams on without acknowledgement is cut off")
    func ignoredFlowControl() throws {
        let left = try Endpoint()
        left.send(BLIPOutgoing(), isStreamingReply: true)
        _ = try left.nextFrame()
        let encoder = try Coder(level: 0)
        let payload = [0] + [UInt8](repeating: 1, count: 100_000)
        #expect(throws: BLIPError(.flowControlIgnored, "")) {
            for _ in 0..<30 {
                let frame = try encoder.frame(number: 1, flags: BLIPFlags(.reply, [.moreComing]), payload: payload[...])
                _ = try left.receive(frame)
            }
        }
    }

    @Test(
        "a streamed body is asked for as it is sent, and its last BLIP frame is not empty",
        arguments: [0, 1, 16_369, 16_384, 200_000])
    func streamedBody(_ byteCount: Int) throws {
        let (left, right) = (try Endpoint(), try Endpoint())
        var random = SeededRandom(part: 4)
        let body = random.bytes(byteCount)
        let ticket = left.send(BLIPOutgoing(["Profile": "x"], isCompressed: true, isStreamed: true))
        var supplied = 0
        var isEnded = false
        var received: [BLIPAction] = []
        for _ in 0..<1_000 where received.isEmpty {
            while let frame = try left.nextFrame() {
                #expect(frame.count > 7)
                received += try right.receive(frame)
            }
            while let frame = try right.nextFrame() { _ = try left.receive(frame) }
            for stream in left.multiplexer.takeWantedBodies() {
                #expect(stream == .request(ticket) && !isEnded)
                let end = min(supplied + 16_384, byteCount)
                // The end is told apart from the last bytes, as a file reader does it.
                isEnded = supplied == end
                left.multiplexer.supply(Array(body[supplied..<end]), isLast: isEnded, to: stream)
                supplied = end
            }
            #expect(left.multiplexer.unsentByteCount < 200_000)
        }
        #expect(
            received == [
                .request(BLIPRequest(number: 1, properties: ["Profile": "x"], body: body, flags: [.compressed]))
            ])
        #expect(left.multiplexer.unsentByteCount == 0)
    }

    @Test("closing names every request that stays without a reply")
    func closing() throws {
        let (left, right) = (try Endpoint(), try Endpoint())
        let answered = left.send(BLIPOutgoing())
        _ = try right.receiveAll(from: left)
        right.reply(to: 1)
        _ = try left.receiveAll(from: right)
        let sent = left.send(BLIPOutgoing())
        _ = try left.nextFrame()
        let paused = left.send(BLIPOutgoing(body: [UInt8](repeating: 1, count: 300_000)))
        while try left.nextFrame() != nil {}
        let queued = left.send(BLIPOutgoing())
        let tickets = left.multiplexer.close()
        #expect(tickets == [sent, paused, queued] && !tickets.contains(answered))
        #expect(throws: BLIPError(.closed, "")) { try left.nextFrame() }
        #expect(throws: BLIPError(.closed, "")) { try left.receive([1, 0]) }
    }
}
