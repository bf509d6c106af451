/// A completely received request of the peer.
package struct BLIPRequest: Sendable, Hashable {
    /// The number of the request, which the reply has to contain.
    package let number: UInt64
    package let properties: BLIPProperties
    package let body: [UInt8]
    /// The kind and the flags of the request's first BLIP frame, which apply to the whole request.
    package let flags: BLIPFlags

    package init(number: UInt64, properties: BLIPProperties, body: [UInt8], flags: BLIPFlags = []) {
        self.number = number
        self.properties = properties
        self.body = body
        self.flags = flags
    }

    /// The value of the property `Profile`, which names the kind of the request; nil if it is absent.
    package var profile: String? { properties["Profile"] }
    /// A Boolean value that says whether the request must be answered exactly once, rather than not at all.
    package var wantsReply: Bool { !flags.contains(.noReply) }
}
