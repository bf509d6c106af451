/// The messages of one connection: a value that takes received BLIP frames and gives those to send.
///
/// It does no I/O and knows no time. The owner calls `receive(_:)` with each BLIP frame and performs the actions it
/// returns; after every call that may have queued something it sends what `nextFrame()` gives until that is nil, and
/// supplies the bodies that `takeWantedBodies()` names. After an error thrown the connection is lost: `close()` tells
/// which requests stay without a reply.
///
/// Memory is bounded by `BLIPLimits` for everything that a peer decides. Both directions share nothing but this value,
/// so its owner serialises access (an actor).
package struct BLIPMultiplexer: ~Copyable {
    /// The limits in force.
    package let limits: BLIPLimits
    var encoder: BLIPEncoder
    var decoder: BLIPDecoder

    // Sending.
    var outbox = BLIPOutbox()
    /// Messages that wait for the peer's acknowledgement.
    var paused: [BLIPOutbound.Key: BLIPOutbound] = [:]
    /// Streamed messages that wait for more of their body.
    var starving: [BLIPStream: BLIPOutbound] = [:]
    var wantedBodies: [BLIPStream] = []
    var acknowledgements: [BLIPOutbound.Key: UInt64] = [:]
    /// Acknowledgements of the peer that let a message go on.
    package internal(set) var acknowledgementCount: UInt64 = 0
    var lastTicket: UInt64 = 0
    var lastSentNumber: UInt64 = 0
    /// Bytes that were given to `send` and `reply` and have not left as BLIP frames.
    package internal(set) var unsentByteCount = 0
    /// Those of them that answer the peer, who decides how many there are.
    package internal(set) var unsentReplyByteCount = 0

    // Receiving.
    var requests: [UInt64: BLIPIncoming] = [:]
    var replies: [UInt64: BLIPIncoming] = [:]
    var awaited: [UInt64: Awaited] = [:]
    var unanswered: [UInt64: Unanswered] = [:]
    /// Requests over a limit, whose rest is dropped, and why.
    var rejectedRequests: [UInt64: BLIPError] = [:]
    var lastReceivedNumber: UInt64 = 0
    package var collectedByteCount = 0
    /// Most bytes held by all messages that have begun and not ended, where memory is shorter than `limits` supposes.
    package var collectedByteLimit = Int.max
    /// Bytes of the peer's requests that were handed out and are not answered.
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

    /// Begins a connection; both peers' checksums, deflate streams and message numbers begin anew.
    ///
    /// - Throws: `codecUnavailable` if zlib cannot be set up.
    package init(limits: BLIPLimits = BLIPLimits()) throws(BLIPError) {
        let encoder = try BLIPEncoder(compressionLevel: limits.compressionLevel)
        let decoder = try BLIPDecoder(limits: limits)
        self.limits = limits
        self.encoder = encoder
        self.decoder = decoder
    }

    /// Requests of the peer that wait for a reply.
    package var unansweredRequestCount: Int { unanswered.count }
    /// Returns whether a request of the peer still waits for this side's reply; false for one that wants none.
    package func isUnanswered(_ number: UInt64) -> Bool { unanswered[number] != nil }
    /// Requests of this side, sent or queued, that wait for a reply.
    package var awaitedReplyCount: Int { awaited.count }
    /// Messages that were given to `send` and `reply` and have not left to their end.
    package var unsentMessageCount: Int { outbox.count + paused.count + starving.count }
    /// A Boolean value that says whether a message may go on without an acknowledgement of the peer.
    package var canSend: Bool { !outbox.isEmpty }
    /// A Boolean value that says whether a message waits for the peer's acknowledgement.
    package var isPaused: Bool { !paused.isEmpty }
    /// A Boolean value that says whether `nextFrame()` may have something to give.
    package var hasFrames: Bool { !outbox.isEmpty || !acknowledgements.isEmpty }

    /// Ends the connection and returns the requests of this side that will get no reply, oldest first.
    ///
    /// From then on nothing is sent, and whatever is received is refused.
    package mutating func close() -> [BLIPTicket] {
        failure = failure ?? BLIPError(.closed, "the connection is closed")
        let unsent = outbox.removeAll() + Array(starving.values)
        let tickets = awaited.values.map(\.ticket) + unsent.filter { $0.number == 0 }.compactMap(\.ticket)
        (paused, starving, wantedBodies, acknowledgements) = ([:], [:], [], [:])
        (requests, replies, awaited, unanswered) = ([:], [:], [:], [:])
        (unsentByteCount, unsentReplyByteCount, collectedByteCount, unansweredByteCount) = (0, 0, 0, 0)
        return tickets.sorted()
    }

    func checkOpen() throws(BLIPError) {
        guard let failure else { return }
        throw BLIPError(.closed, "the connection ended before: \(failure.code.text)")
    }
}
