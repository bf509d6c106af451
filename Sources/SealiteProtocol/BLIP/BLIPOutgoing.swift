/// A message to be sent: a request, or a reply that is no error.
package struct BLIPOutgoing: Sendable, Hashable {
    /// The properties; a request's `Profile` names the kind of the request.
    package var properties: BLIPProperties
    /// The body, or its first piece if the message is streamed.
    package var body: [UInt8]
    /// A Boolean value that says whether the message's BLIP frames are deflated.
    package var isCompressed: Bool
    /// A Boolean value that says whether the message is sent before messages that aren't urgent. A reply is as urgent
    /// as its request.
    package var isUrgent: Bool
    /// A Boolean value that says whether the request expects no reply. Ignored for a reply.
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
