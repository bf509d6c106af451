/// The messages of one connection with BLIP, the message layer of the replication protocol: a value that processes
/// received BLIP frames and produces the frames to send.
///
/// It performs no I/O and has no clock. The owner calls `receive(_:)` with each BLIP frame and performs the returned
/// actions; after every call that may have queued something it sends the results of `nextFrame()` until that is nil,
/// and supplies the bodies that `takeWantedBodies()` names. After an error is thrown the connection is lost: `close()`
/// returns the requests that will get no reply.
///
/// `BLIPLimits` bounds the memory for everything that a peer determines. The owner, an actor, serialises access, since
/// both directions are parts of this value.
package struct BLIPMultiplexer: ~Copyable {
    /// The limits on the messages and BLIP frames of this connection.
    package let limits: BLIPLimits
    var encoder: BLIPEncoder
    var decoder: BLIPDecoder

    // Sending.
    var outbox = BLIPOutbox()
    /// Requests that wait until fewer of this side's requests are open (`BLIPLimits.openRequestCount`).
    var heldBack = Queue<BLIPOutbound>()
    /// The number of this side's requests that want a reply and haven't got it, except those held back.
    var openRequestCount = 0
    /// Outgoing messages that wait for the peer's acknowledgement before more of them is sent.
    var paused: [BLIPOutbound.Key: BLIPOutbound] = [:]
    /// Outgoing streamed messages that wait for their owner to supply more of the body.
    var starving: [BLIPStream: BLIPOutbound] = [:]
    var wantedBodies: [BLIPStream] = []
    var acknowledgements: [BLIPOutbound.Key: UInt64] = [:]
    /// The number of times that an acknowledgement of the peer let a paused message continue.
    package internal(set) var acknowledgementCount: UInt64 = 0
    var lastTicket: UInt64 = 0
    var lastSentNumber: UInt64 = 0
    /// The number of bytes of the messages passed to `send`, `reply` and `supply` that haven't been sent as BLIP
    /// frames.
    package internal(set) var unsentByteCount = 0
    /// The number of unsent bytes that belong to replies. The peer determines the number of replies, by its requests.
    package internal(set) var unsentReplyByteCount = 0

    // Receiving.
    var requests: [UInt64: BLIPIncoming] = [:]
    var replies: [UInt64: BLIPIncoming] = [:]
    var awaited: [UInt64: Awaited] = [:]
    var unanswered: [UInt64: Unanswered] = [:]
    /// The requests of the peer that exceeded a limit and whose remainder is discarded, by number, with the error.
    var rejectedRequests: [UInt64: BLIPError] = [:]
    var lastReceivedNumber: UInt64 = 0
    /// The number of bytes that all unfinished messages of the peer together hold in memory.
    package var collectedByteCount = 0
    /// A further limit on the bytes of all unfinished messages, which the owner sets while memory is scarce. The lower
    /// of this limit and `limits.collectedByteCount` applies.
    package var collectedByteLimit = Int.max
    /// The number of bytes of the peer's requests that were delivered to the owner and aren't answered yet.
    package internal(set) var unansweredByteCount = 0
    var failure: BLIPError?

    /// A request of this side that waits for its reply.
    struct Awaited: Sendable {
        let ticket: BLIPTicket
        let isStreamed: Bool
    }

    /// A request of the peer that waits for this side's reply.
    struct Unanswered: Sendable {
        let isUrgent: Bool
        let byteCount: Int
    }

    /// Begins a connection, with new checksums, deflate streams and message numbers in both directions.
    ///
    /// - Throws: `codecUnavailable` if zlib cannot be set up.
    package init(limits: BLIPLimits = BLIPLimits()) throws(BLIPError) {
        let encoder = BLIPEncoder(compressionLevel: limits.compressionLevel, isSmall: limits.usesSmallWindow)
        let decoder = try BLIPDecoder(limits: limits)
        self.limits = limits
        self.encoder = encoder
        self.decoder = decoder
    }

    /// The number of the peer's requests that wait for this side's reply.
    package var unansweredRequestCount: Int { unanswered.count }
    /// Returns whether a request of the peer still waits for this side's reply; false for a request that expects no
    /// reply.
    package func isUnanswered(_ number: UInt64) -> Bool { unanswered[number] != nil }
    /// The number of this side's requests, sent at least in part, that wait for the peer's reply.
    package var awaitedReplyCount: Int { awaited.count }
    /// The number of messages passed to `send` and `reply` that haven't been sent completely.
    package var unsentMessageCount: Int { outbox.count + heldBack.count + paused.count + starving.count }
    /// A Boolean value that says whether an outgoing message can continue without an acknowledgement of the peer.
    package var canSend: Bool { !outbox.isEmpty }
    /// A Boolean value that says whether an outgoing message waits for the peer's acknowledgement.
    package var isPaused: Bool { !paused.isEmpty }
    /// A Boolean value that says whether `nextFrame()` may return a frame.
    package var hasFrames: Bool { !outbox.isEmpty || !acknowledgements.isEmpty }

    /// Ends the connection and returns the requests of this side that will get no reply, oldest first.
    ///
    /// Afterwards nothing is sent, and received frames are refused.
    package mutating func close() -> [BLIPTicket] {
        failure = failure ?? BLIPError(.closed, "the connection is closed")
        var unsent = outbox.removeAll() + Array(starving.values)
        while let message = heldBack.popFirst() { unsent.append(message) }
        let tickets = awaited.values.map(\.ticket) + unsent.filter { $0.number == 0 }.compactMap(\.ticket)
        (paused, starving, wantedBodies, acknowledgements) = ([:], [:], [], [:])
        (requests, replies, awaited, unanswered) = ([:], [:], [:], [:])
        (unsentByteCount, unsentReplyByteCount, collectedByteCount, unansweredByteCount) = (0, 0, 0, 0)
        return tickets.sorted()
    }

    func checkOpen() throws(BLIPError) {
        guard let failure else { return }
        throw BLIPError(.closed, "the connection has already ended: \(failure.code.text)")
    }
}

/// The result of a received frame of BLIP, the message layer of the replication protocol: a message, a part of a
/// streamed reply, or a rejected message.
package enum BLIPAction: Sendable, Equatable {
    /// A request of the peer was received completely.
    case request(BLIPRequest)
    /// A request of the peer exceeded a limit, and its body was discarded, as were its properties if they were
    /// incomplete. If the request expects a reply, the error reply is already queued.
    case requestRejected(BLIPRequest, BLIPError)
    /// The reply to a request of this side, possibly an error, was received completely.
    case reply(BLIPReply, to: BLIPTicket)
    /// A reply exceeded a limit; the rest of the reply is discarded when it arrives.
    case replyRejected(BLIPError, to: BLIPTicket)
    /// A streamed reply has begun, with these properties.
    case replyBegan(BLIPProperties, to: BLIPTicket)
    /// A piece of a streamed reply's body.
    case replyPiece([UInt8], to: BLIPTicket)
    /// A streamed reply is complete.
    case replyEnded(to: BLIPTicket)
}

/// Identifies a message of this side whose body is supplied in pieces: a request by its ticket, or a reply by the
/// number of the peer's request.
package enum BLIPStream: Hashable, Sendable {
    case request(BLIPTicket)
    case reply(UInt64)

    var isReply: Bool {
        if case .reply = self { true } else { false }
    }
}

/// Identifies a request of this side until its reply arrives. The number on the wire is assigned later, when the
/// request's first BLIP frame is sent.
package struct BLIPTicket: Hashable, Sendable, Comparable {
    package let value: UInt64

    package static func < (left: BLIPTicket, right: BLIPTicket) -> Bool { left.value < right.value }
}
