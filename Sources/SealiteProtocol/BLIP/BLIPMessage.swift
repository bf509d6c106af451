/// Names a request of this side until its reply has come. Not the number on the wire, which a request gets when
/// its first BLIP frame is sent.
package struct BLIPTicket: Hashable, Sendable, Comparable {
    let value: UInt64

    package static func < (left: BLIPTicket, right: BLIPTicket) -> Bool { left.value < right.value }
}

/// A message of this side whose body is supplied in pieces.
package enum BLIPStream: Hashable, Sendable {
    case request(BLIPTicket)
    case reply(UInt64)

    var isReply: Bool {
        if case .reply = self { true } else { false }
    }
}

/// A message to be sent: a request, or a reply that is no error.
package struct BLIPOutgoing: Sendable, Hashable {
    /// The properties; a request's `Profile` names what it asks for.
    package var properties: BLIPProperties
    /// The body, or its first piece if the message is streamed.
    package var body: [UInt8]
    /// A Boolean value that says whether the message's BLIP frames are deflated.
    package var isCompressed: Bool
    /// A Boolean value that says whether the message goes before others. A reply is as urgent as its request.
    package var isUrgent: Bool
    /// A Boolean value that says whether the request wants no reply. Means nothing on a reply.
    package var isNoReply: Bool
    /// A Boolean value that says whether more of the body is supplied later.
    package var isStreamed: Bool

    package init(
        _ properties: BLIPProperties = [:], body: [UInt8] = [], isCompressed: Bool = false, isUrgent: Bool = false,
        isNoReply: Bool = false, isStreamed: Bool = false
    ) {
        self.properties = properties
        self.body = body
        self.isCompressed = isCompressed
        self.isUrgent = isUrgent
        self.isNoReply = isNoReply
        self.isStreamed = isStreamed
    }
}

/// A request of the peer, complete.
package struct BLIPRequest: Sendable, Hashable {
    /// Its number, by which it is answered.
    package let number: UInt64
    package let properties: BLIPProperties
    package let body: [UInt8]
    /// Kind and flags of its first BLIP frame.
    package let flags: BLIPFlags

    package init(number: UInt64, properties: BLIPProperties, body: [UInt8], flags: BLIPFlags = []) {
        self.number = number
        self.properties = properties
        self.body = body
        self.flags = flags
    }

    /// The profile, which names the kind of the request.
    package var profile: String? { properties["Profile"] }
    /// A Boolean value that says whether the request is to be answered, exactly once.
    package var wantsReply: Bool { !flags.contains(.noReply) }
}

/// An error that answers a request.
package struct BLIPErrorReply: Error, Sendable, Hashable {
    /// Whose codes: `HTTP`, `BLIP`, `LiteCore` and others.
    package var domain: String
    /// The code within the domain.
    package var code: Int
    /// A text for people, perhaps empty. What a peer wrote is not to be trusted further than that.
    package var message: String

    package init(domain: String = "HTTP", code: Int, message: String = "") {
        self.domain = domain
        self.code = code
        self.message = message
    }

    /// The error as a peer sent it. A missing domain means `BLIP`; a missing or unreadable code is 599 (unspecified).
    init(properties: BLIPProperties, body: [UInt8]) {
        domain = properties["Error-Domain"] ?? "BLIP"
        code = properties["Error-Code"].flatMap { Int32($0) }.map(Int.init) ?? 599
        message = String(decoding: body.prefix(Self.messageByteCountLimit), as: UTF8.self)
    }

    var encoded: (properties: BLIPProperties, body: [UInt8]) {
        (["Error-Domain": domain, "Error-Code": String(code)], Array(message.utf8.prefix(Self.messageByteCountLimit)))
    }

    // Sync Gateway's flow control does not know error messages, so that a long one would never be sent to its end.
    private static let messageByteCountLimit = 4_096
}

/// An answer to a request of this side, complete.
package struct BLIPReply: Sendable, Hashable {
    package let properties: BLIPProperties
    package let body: [UInt8]
    /// The error, if the request failed.
    package let error: BLIPErrorReply?

    package init(properties: BLIPProperties = [:], body: [UInt8] = [], error: BLIPErrorReply? = nil) {
        self.properties = properties
        self.body = body
        self.error = error
    }
}

/// A consequence of a received BLIP frame.
package enum BLIPAction: Sendable, Equatable {
    /// A request is complete.
    case request(BLIPRequest)
    /// A request exceeded a limit. It was answered already if it wanted that; its body is not kept.
    case requestRejected(BLIPRequest, BLIPError)
    /// A reply is complete.
    case reply(BLIPReply, to: BLIPTicket)
    /// A reply exceeded a limit; the rest of it is dropped.
    case replyRejected(BLIPError, to: BLIPTicket)
    /// A streamed reply has begun.
    case replyBegan(BLIPProperties, to: BLIPTicket)
    /// A piece of a streamed reply's body.
    case replyPiece([UInt8], to: BLIPTicket)
    /// A streamed reply is complete.
    case replyEnded(to: BLIPTicket)
}
