import SealiteProtocol

/// A multiplexer that can be captured and compared by the test macros, which take copies of values.
final class Endpoint {
    var multiplexer: BLIPMultiplexer

    /// The limits of a peer that sends as many requests as it likes, whatever is answered.
    static var careless: BLIPLimits {
        var limits = BLIPLimits()
        limits.openRequestCount = .max
        return limits
    }

    init(limits: BLIPLimits = Endpoint.careless) throws { multiplexer = try BLIPMultiplexer(limits: limits) }

    @discardableResult
    func send(_ message: BLIPOutgoing, isStreamingReply: Bool = false) -> BLIPTicket {
        multiplexer.send(message, isStreamingReply: isStreamingReply)
    }

    func reply(to number: UInt64, with message: BLIPOutgoing = BLIPOutgoing()) {
        multiplexer.reply(to: number, with: message)
    }

    func reply(to number: UInt64, error: BLIPErrorReply) { multiplexer.reply(to: number, error: error) }

    func nextFrame() throws -> [UInt8]? { try multiplexer.nextFrame() }

    func receive(_ frame: [UInt8]) throws -> [BLIPAction] { try multiplexer.receive(frame) }

    /// Receives everything the other side has to send now.
    func receiveAll(from sender: Endpoint) throws -> [BLIPAction] {
        var actions: [BLIPAction] = []
        while let frame = try sender.nextFrame() { actions += try receive(frame) }
        return actions
    }

    /// Carries BLIP frames between two sides until neither has any.
    static func pump(_ left: Endpoint, _ right: Endpoint) throws -> (left: [BLIPAction], right: [BLIPAction]) {
        var received: (left: [BLIPAction], right: [BLIPAction]) = ([], [])
        while left.multiplexer.hasFrames || right.multiplexer.hasFrames {
            if let frame = try left.nextFrame() { received.right += try right.receive(frame) }
            if let frame = try right.nextFrame() { received.left += try left.receive(frame) }
        }
        return received
    }
}

/// The codec of one direction, as a class for the same reason.
final class Coder {
    var encoder: BLIPEncoder
    var decoder: BLIPDecoder

    init(level: Int = 6, limits: BLIPLimits = BLIPLimits()) throws {
        encoder = BLIPEncoder(compressionLevel: level)
        decoder = try BLIPDecoder(limits: limits)
    }

    func frame(number: UInt64, flags: BLIPFlags, payload: ArraySlice<UInt8>) throws -> [UInt8] {
        try encoder.frame(number: number, flags: flags, payload: payload)
    }

    func decode(_ frame: [UInt8]) throws -> (header: BLIPFrameHeader, content: BLIPDecoder.Content) {
        try decoder.decode(frame[...])
    }
}
