/// An outgoing message, with the state of its transfer.
struct BLIPOutbound: Sendable {
    /// Distinguishes a request from a reply with the same number.
    struct Key: Hashable, Sendable {
        let number: UInt64
        let isReply: Bool
    }

    /// The kind and the flags of the message, without `moreComing`.
    let flags: BLIPFlags
    /// The number of the request in BLIP frames, or of the request that the message replies to; 0 for a request until
    /// its first frame is sent.
    var number: UInt64
    /// The ticket by which the owner identifies the request; nil for a reply.
    let ticket: BLIPTicket?
    /// A Boolean value that says whether the reply is to be delivered in parts.
    let wantsStreamedReply: Bool
    /// The encoded properties and the body; of a streamed message, the part that was supplied and not yet removed.
    private(set) var payload: [UInt8]
    private(set) var offset = 0
    /// A Boolean value that says whether the whole body was supplied.
    private(set) var isComplete: Bool
    /// A Boolean value that says whether more of the body was requested from the owner and not supplied yet.
    var isAwaitingSupply = false
    /// The number of sent bytes of the message, as flow control counts them.
    var sentByteCount: UInt64 = 0
    var acknowledgedByteCount: UInt64 = 0

    init(
        _ message: BLIPOutgoing, flags: BLIPFlags, number: UInt64 = 0, ticket: BLIPTicket? = nil,
        wantsStreamedReply: Bool = false
    ) {
        self.flags = flags
        self.number = number
        self.ticket = ticket
        self.wantsStreamedReply = wantsStreamedReply
        payload = message.properties.encoded()
        payload.append(contentsOf: message.body)
        isComplete = !message.isStreamed
    }

    var key: Key { Key(number: number, isReply: flags.type != .request) }
    var stream: BLIPStream { ticket.map(BLIPStream.request) ?? .reply(number) }
    var isUrgent: Bool { flags.contains(.urgent) }
    var hasStarted: Bool { sentByteCount > 0 }
    var unsentByteCount: Int { payload.count - offset }
    var isPaused: Bool { sentByteCount >= acknowledgedByteCount + BLIPLimits.sendWindow }

    /// Returns whether a BLIP frame with up to `byteCount` bytes of payload can be sent now. Of a streamed message
    /// whose body isn't complete, at least one byte must remain, so that its last frame isn't empty.
    func hasFrame(ofByteCount byteCount: Int) -> Bool { isComplete || unsentByteCount > byteCount }

    /// Removes and returns the payload of the next BLIP frame.
    mutating func take(upTo byteCount: Int) -> ArraySlice<UInt8> {
        let end = min(payload.count, offset + max(1, byteCount))
        defer { offset = end }
        return payload[offset..<end]
    }

    /// Adds a part of a streamed body.
    mutating func supply(_ bytes: [UInt8], isLast: Bool) {
        payload.removeSubrange(..<offset)
        offset = 0
        payload.append(contentsOf: bytes)
        isComplete = isLast
        isAwaitingSupply = false
    }
}
