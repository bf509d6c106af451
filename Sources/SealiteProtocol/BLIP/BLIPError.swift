/// The reason for the failure of a connection with BLIP, the message layer of the replication protocol, or of one of
/// its messages.
///
/// Two errors are equal when their codes are. The reason is for people: it names limits and numbers, never content.
package struct BLIPError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of the failure.
    package struct Code: Hashable, Sendable {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// The name used in descriptions.
        package var text: String { name }

        /// The BLIP frame is shorter than its fields, or empty.
        package static let truncatedFrame = Code("truncated BLIP frame")
        /// A variable-length integer does not end or exceeds 64 bits.
        package static let badVarint = Code("bad varint")
        /// The BLIP frame exceeds `BLIPLimits.frameByteCount`.
        package static let frameTooLarge = Code("BLIP frame too large")
        /// The checksum in a BLIP frame differs from the running checksum of the received payloads.
        package static let badChecksum = Code("bad checksum")
        /// The payload is not valid deflate data.
        package static let badCompression = Code("bad compressed data")
        /// A payload inflates beyond `BLIPLimits.inflatedFrameByteCount`.
        package static let inflatedTooLarge = Code("inflated data too large")
        /// A request has a number that was used already, or that skips one.
        package static let badMessageNumber = Code("bad message number")
        /// A reply belongs to a request that was never sent.
        package static let unexpectedReply = Code("reply to an unknown request")
        /// The message ends before its properties do, they are not pairs of UTF-8 strings, or a name occurs twice.
        package static let badProperties = Code("bad properties")
        /// The properties exceed `BLIPLimits.propertiesByteCount`.
        package static let propertiesTooLarge = Code("properties too large")
        /// The body of a message exceeds `BLIPLimits.messageByteCount`.
        package static let messageTooLarge = Code("message too large")
        /// The unfinished messages together exceed `BLIPLimits.collectedByteCount`; a message that is refused for this
        /// reason may be accepted later.
        package static let tooMuchAtOnce = Code("too much at once")
        /// The number of the peer's unfinished or unanswered requests exceeds `BLIPLimits.unfinishedMessageCount` or
        /// `BLIPLimits.unansweredRequestCount`.
        package static let tooManyMessages = Code("too many messages in flight")
        /// The peer continues to send a streamed reply of which more than `BLIPLimits.unacknowledgedByteCount` bytes
        /// aren't acknowledged yet.
        package static let flowControlIgnored = Code("flow control ignored")
        /// zlib could not be set up.
        package static let codecUnavailable = Code("compression unavailable")
        /// The connection was closed, or has failed earlier.
        package static let closed = Code("connection closed")
    }

    /// The HTTP status with which a message is refused for this error: 503 for `tooMuchAtOnce`, 413 for any other
    /// error.
    package var status: Int { code == .tooMuchAtOnce ? 503 : 413 }

    /// The kind of the failure.
    package let code: Code
    /// The reason for people, without content of any message.
    package let reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package static func == (left: BLIPError, right: BLIPError) -> Bool { left.code == right.code }

    package var description: String { "\(code.text): \(reason)" }
}

/// An error in reply to a request, sent by the peer or by this side.
package struct BLIPErrorReply: Error, Sendable, Hashable {
    /// The domain that defines the code: `HTTP`, `BLIP`, `LiteCore` and others.
    package var domain: String
    /// The code within the domain.
    package var code: Int
    /// A text for people, possibly empty. A peer's text is untrusted.
    package var message: String

    package init(domain: String = "HTTP", code: Int, message: String = "") {
        self.domain = domain
        self.code = code
        self.message = message
    }

    /// Creates the error that a peer's error reply contains. A missing domain means `BLIP`; a missing or unreadable
    /// code is 599 (unspecified). The text is cut to 4,096 bytes.
    package init(properties: BLIPProperties, body: [UInt8]) {
        domain = properties["Error-Domain"] ?? "BLIP"
        code = properties["Error-Code"].flatMap { Int32($0) }.map(Int.init) ?? 599
        message = String(decoding: body.prefix(Self.messageByteCountLimit), as: UTF8.self)
    }

    /// A Boolean value that says whether the error may be the refusal of a delta, after which the whole body is sent: of a
    /// Sync Gateway 404 too, and an error of Couchbase Lite that it hasn't converted.
    var isRefusalOfDelta: Bool { domain == "HTTP" && (code == 422 || code == 404) || domain == "LiteCore" }

    var encoded: (properties: BLIPProperties, body: [UInt8]) {
        (["Error-Domain": domain, "Error-Code": String(code)], Array(message.utf8.prefix(Self.messageByteCountLimit)))
    }

    // Sync Gateway's flow control doesn't handle error replies, so a long error reply would never be sent completely.
    private static let messageByteCountLimit = 4_096
}
