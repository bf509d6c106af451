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

    var encoded: (properties: BLIPProperties, body: [UInt8]) {
        (["Error-Domain": domain, "Error-Code": String(code)], Array(message.utf8.prefix(Self.messageByteCountLimit)))
    }

    // Sync Gateway's flow control doesn't handle error replies, so a long error reply would never be sent completely.
    private static let messageByteCountLimit = 4_096
}
