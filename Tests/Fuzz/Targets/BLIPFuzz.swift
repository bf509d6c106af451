@testable import SealiteProtocol

/// BLIP frames of a hostile peer, between what this side sends: the multiplexer's receiving half, and its bookkeeping.
///
/// The input is a list of steps: what to do (1 byte), a byte count (2 bytes, little-endian), that many bytes.
final class BLIPFuzz: FuzzTarget {
    /// A step's first byte, modulo their number.
    enum Step: UInt8, CaseIterable {
        /// The bytes are a frame as it comes from the wire.
        case frame
        /// The bytes are a frame, whose checksum is made to fit where it can.
        case summedFrame
        /// The first byte is the flags, the second the number: the rest is sent as a peer would, compressed too.
        case payload
        /// The bytes are a request of this side; the first bit asks for a streamed reply.
        case request
        /// Up to as many frames as there are bytes are sent.
        case send
        /// The oldest requests of the peer are answered with the bytes, an even number of bytes as an error.
        case answer
        /// Pieces of streamed replies are used.
        case use
    }

    /// Small enough that a few bytes reach every limit.
    private static var limits: BLIPLimits {
        var limits = BLIPLimits()
        limits.frameByteCount = 4_096
        limits.inflatedFrameByteCount = 65_536
        limits.propertiesByteCount = 256
        limits.messageByteCount = 2_048
        limits.collectedByteCount = 4_096
        limits.unfinishedMessageCount = 6
        limits.unansweredRequestCount = 8
        limits.unacknowledgedByteCount = 1_024
        return limits
    }

    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        var connection = try FuzzedConnection(limits: Self.limits)
        var rest = input[...]
        while let first = rest.popFirst(), rest.count >= 2, let low = rest.popFirst(), let high = rest.popFirst() {
            let bytes = Array(rest.prefix(Int(low) | Int(high) << 8))
            rest = rest.dropFirst(bytes.count)
            let step = Step(rawValue: first % UInt8(Step.allCases.count)) ?? .frame
            try connection.perform(step, bytes)
            try connection.checkCounts()
        }
        try connection.checkEnd()
    }
}

/// One connection under attack, and what it must be.
private struct FuzzedConnection: ~Copyable {
    private let limits: BLIPLimits
    private var multiplexer: BLIPMultiplexer
    /// A peer's own codec, for payloads that it sends properly.
    private var peer: BLIPEncoder
    /// The decoder of sent frames.
    private var reader: BLIPDecoder
    /// Inflates the hostile frames, to know the checksum that fits.
    private var mender: BLIPDecoder
    private var sum = BLIPChecksum()
    private var isOver = false
    private var inbox: [UInt64] = []
    private var lastRequest: UInt64 = 0
    private var tickets: Set<BLIPTicket> = []

    init(limits: BLIPLimits) throws(BrokenProperty) {
        do throws(BLIPError) {
            let multiplexer = try BLIPMultiplexer(limits: limits)
            let peer = BLIPEncoder(compressionLevel: 6)
            let reader = try BLIPDecoder(limits: BLIPLimits())
            let mender = try BLIPDecoder(limits: BLIPLimits())
            self.multiplexer = multiplexer
            self.peer = peer
            self.reader = reader
            self.mender = mender
        } catch {
            throw BrokenProperty(error.description)
        }
        self.limits = limits
    }

    mutating func perform(_ step: BLIPFuzz.Step, _ bytes: [UInt8]) throws(BrokenProperty) {
        switch step {
        case .frame: try receive(bytes)
        case .summedFrame: try receive(mended(bytes))
        case .payload: try receivePayload(bytes)
        case .request:
            guard !isOver, tickets.count < 64 else { return }
            let isStreaming = (bytes.first ?? 0) & 1 == 1
            tickets.insert(multiplexer.send(BLIPOutgoing(["Profile": "x"], body: bytes), isStreamingReply: isStreaming))
        case .send: try send(upTo: bytes.count)
        case .answer: answer(bytes)
        case .use: for ticket in tickets { multiplexer.acknowledgePieces(of: ticket) }
        }
    }

    // MARK: Receiving

    private mutating func receive(_ frame: [UInt8]) throws(BrokenProperty) {
        let actions: [BLIPAction]
        do throws(BLIPError) {
            actions = try multiplexer.receive(frame)
        } catch {
            try BrokenProperty.unless(!isOver || error.code == .closed, "a failed connection says \(error) again")
            isOver = true
            return
        }
        try BrokenProperty.unless(!isOver, "a frame is taken after the connection failed")
        for action in actions { try note(action) }
    }

    private mutating func receivePayload(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard bytes.count >= 2 else { return }
        let flags = BLIPFlags(rawValue: bytes[0])
        guard flags.type?.isAcknowledgement != true else { return }
        // The peer counts its requests properly where the byte is 0.
        let number = bytes[1] == 0 ? lastRequest + 1 : UInt64(bytes[1])
        guard let frame = try? peer.frame(number: number, flags: flags, payload: bytes[2...]) else {
            throw BrokenProperty("a payload can't be sent")
        }
        try receive(frame)
    }

    private mutating func note(_ action: BLIPAction) throws(BrokenProperty) {
        switch action {
        case .request(let request), .requestRejected(let request, _):
            lastRequest = max(lastRequest, request.number)
            try BrokenProperty.unless(request.body.count <= limits.messageByteCount, "a body over the limit")
            try BrokenProperty.unless(
                request.properties.byteCount <= limits.propertiesByteCount, "properties over the limit")
            if case .request = action, request.wantsReply { inbox.append(request.number) }
        case .reply(_, let ticket), .replyRejected(_, let ticket), .replyBegan(_, let ticket),
            .replyPiece(_, let ticket), .replyEnded(let ticket):
            try BrokenProperty.unless(tickets.contains(ticket), "a reply to a request that was answered or never made")
            switch action {
            case .reply, .replyEnded: tickets.remove(ticket)
            default: break
            }
        }
    }

    /// The frame with the checksum that its payload has.
    private mutating func mended(_ bytes: [UInt8]) -> [UInt8] {
        guard let (header, start) = try? BLIPFrameHeader.parse(bytes[...]), bytes.count >= start + 4,
            header.flags.type?.isAcknowledgement != true
        else { return bytes }
        let coded = bytes[start...].dropLast(4)
        let isCompressed = header.flags.contains(.compressed)
        let inflated = isCompressed ? try? mender.inflate(coded, limit: limits.inflatedFrameByteCount) : Array(coded)
        guard let payload = inflated else { return bytes }
        var frame = Array(bytes.dropLast(4))
        sum.add(payload[...])
        sum.append(to: &frame)
        return frame
    }

    // MARK: Sending

    private mutating func answer(_ bytes: [UInt8]) {
        guard !inbox.isEmpty else { return }
        let number = inbox.removeFirst()
        if bytes.count.isMultiple(of: 2) {
            multiplexer.reply(to: number, error: BLIPErrorReply(code: 500))
        } else {
            multiplexer.reply(to: number, with: BLIPOutgoing(body: bytes, isCompressed: bytes[0] & 1 == 1))
        }
    }

    private mutating func send(upTo count: Int) throws(BrokenProperty) {
        for _ in 0..<min(count, 64) where !isOver {
            do throws(BLIPError) {
                guard let frame = try multiplexer.nextFrame() else { return }
                guard frame.count <= limits.sentFrameByteCount else {
                    throw BLIPError(.frameTooLarge, "\(frame.count) bytes are sent")
                }
                _ = try reader.decode(frame[...])
            } catch {
                throw BrokenProperty("what is sent is wrong: \(error)")
            }
        }
    }

    // MARK: What must hold

    borrowing func checkCounts() throws(BrokenProperty) {
        let held =
            multiplexer.requests.values.reduce(0) { $0 + $1.buffer.count }
            + multiplexer.replies.values.reduce(0) { $0 + ($1.mode == .collect ? $1.buffer.count : 0) }
        // A failed connection is closed by its owner, and counts no more.
        let isCounted = isOver || multiplexer.collectedByteCount >= held
        try BrokenProperty.unless(isCounted, "\(held) bytes are held, \(multiplexer.collectedByteCount) counted")
        try BrokenProperty.unless(
            held <= limits.collectedByteCount + limits.inflatedFrameByteCount, "\(held) bytes are held")
        let least = min(
            isOver ? 0 : multiplexer.collectedByteCount, multiplexer.unsentByteCount, multiplexer.unansweredByteCount)
        try BrokenProperty.unless(least >= 0, "a count of bytes is \(least)")
        try BrokenProperty.unless(
            max(multiplexer.requests.count, multiplexer.rejectedRequests.count) <= limits.unfinishedMessageCount
                && multiplexer.unanswered.count <= limits.unansweredRequestCount, "too many requests are kept")
    }

    /// Nothing is counted that isn't held; closing names each request without a reply once.
    mutating func checkEnd() throws(BrokenProperty) {
        let isIdle = multiplexer.requests.isEmpty && multiplexer.replies.isEmpty && !isOver
        let count = multiplexer.collectedByteCount
        try BrokenProperty.unless(!isIdle || count == 0, "\(count) bytes are counted and none held")
        let open = multiplexer.close()
        try BrokenProperty.unless(Set(open).count == open.count, "a request is named twice at the end")
        try BrokenProperty.unless(open.allSatisfy(tickets.contains), "an answered request is named at the end")
    }
}
