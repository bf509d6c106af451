/// The complete reply to a request of this side.
package struct BLIPReply: Sendable, Hashable {
    package let properties: BLIPProperties
    package let body: [UInt8]
    /// The error with which the peer answered; nil if the request succeeded.
    package let error: BLIPErrorReply?

    package init(properties: BLIPProperties = [:], body: [UInt8] = [], error: BLIPErrorReply? = nil) {
        self.properties = properties
        self.body = body
        self.error = error
    }
}
