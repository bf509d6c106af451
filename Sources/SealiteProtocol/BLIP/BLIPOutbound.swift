/// An outgoing message, with the state of its transfer.
struct BLIPOutbound: Sendable {
    /// Identifies an outgoing message by its number, and by whether it is a reply to the peer's request with this
    /// number or a request of this side.
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
    /// The encoded properties and the body. Of a streamed message, these are the bytes that were supplied so far,
    /// without sent ones that `supply(_:isLast:)` has removed.
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

    /// Returns the payload of the next BLIP frame, at most `byteCount` of the bytes that weren't taken yet, and counts
    /// it as taken.
    mutating func take(upTo byteCount: Int) -> ArraySlice<UInt8> {
        let end = min(payload.count, offset + max(1, byteCount))
        assert(end >= offset, "what was taken stays taken")
        defer { offset = end }
        return payload[offset..<end]
    }

    /// Adds a part to a streamed body, and removes the bytes that were already sent. `isLast` says whether the body is
    /// then complete.
    mutating func supply(_ bytes: [UInt8], isLast: Bool) {
        assert(!isComplete, "nothing follows the last part")
        payload.removeSubrange(..<offset)
        offset = 0
        payload.append(contentsOf: bytes)
        isComplete = isLast
        isAwaitingSupply = false
    }
}
