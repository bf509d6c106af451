/// A message of the peer that is being received.
package struct BLIPIncoming: Sendable {
    /// The treatment of the message's payload: collected in memory, passed on in parts, or discarded.
    enum Mode: Hashable { case collect, stream, discard }

    /// The kind and the flags of the message's first BLIP frame, which apply to the whole message, without
    /// `moreComing`.
    package let flags: BLIPFlags
    private(set) var mode: Mode
    /// The properties of the message; nil until all of them were received.
    package private(set) var properties: BLIPProperties?
    /// The payload that isn't consumed yet: the encoded properties until they are complete, then the body, or its part
    /// that wasn't taken yet if the message is streamed.
    package private(set) var buffer: [UInt8] = []
    /// The number of received bytes of the message, as flow control counts them: compressed, with checksums.
    private(set) var wireByteCount: UInt64 = 0
    /// The number of bytes, of those in `wireByteCount`, that this side has acknowledged.
    var acknowledgedByteCount: UInt64 = 0

    package init(flags: BLIPFlags, isStreamed: Bool) {
        self.flags = flags.subtracting(.moreComing)
        mode = isStreamed && flags.type == .reply ? .stream : .collect
    }

    /// Adds a payload, and reads the message's properties as soon as they are complete. If the message is being
    /// discarded, only the bytes are counted.
    ///
    /// - Throws: `badVarint`, `badProperties`, `propertiesTooLarge`, which end the connection.
    package mutating func append(
        _ payload: [UInt8], wireByteCount: UInt64, propertiesLimit: Int
    ) throws(BLIPError) {
        self.wireByteCount += wireByteCount
        guard mode != .discard else { return }
        assert(acknowledgedByteCount <= self.wireByteCount, "what is acknowledged was received")
        if buffer.isEmpty { buffer = payload } else { buffer.append(contentsOf: payload) }
        if properties == nil { try readProperties(limit: propertiesLimit) }
    }

    /// Removes and returns the part of a streamed body that is available; empty if the message isn't streamed or its
    /// properties are incomplete.
    mutating func takePiece() -> [UInt8] {
        guard mode == .stream, properties != nil else { return [] }
        let piece = buffer
        buffer = []
        return piece
    }

    /// Discards the collected payload and everything that follows.
    mutating func discard() {
        mode = .discard
        buffer = []
    }

    private mutating func readProperties(limit: Int) throws(BLIPError) {
        assert(properties == nil, "properties are read once")
        // The varint of the properties' length may be incomplete; ten bytes without its last byte are an error.
        guard buffer.count >= BLIPVarint.maximumByteCount || buffer.contains(where: { $0 < 0x80 }) else { return }
        var index = 0
        let count = try BLIPVarint.read(buffer[...], at: &index)
        guard count <= UInt64(limit) else {
            throw BLIPError(
                .propertiesTooLarge, "a received message has \(count) bytes of properties; the limit is \(limit)")
        }
        let end = index + Int(count)
        guard buffer.count >= end else { return }
        properties = try BLIPProperties(parsing: buffer[index..<end])
        buffer.removeSubrange(..<end)
    }
}

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
