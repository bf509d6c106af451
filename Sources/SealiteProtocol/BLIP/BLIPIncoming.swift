/// A message that has begun to arrive.
struct BLIPIncoming: Sendable {
    /// The use of its payload.
    enum Mode: Hashable { case collect, stream, discard }

    /// Kind and flags of its first BLIP frame, which hold for the whole message, without `moreComing`.
    let flags: BLIPFlags
    private(set) var mode: Mode
    /// The properties, once all of them are there.
    private(set) var properties: BLIPProperties?
    /// Payload that is not consumed: the properties until they are complete, then the body if it is collected.
    private(set) var buffer: [UInt8] = []
    /// Bytes on the wire so far, as flow control counts them.
    private(set) var wireByteCount: UInt64 = 0
    /// Bytes on the wire that were acknowledged.
    var acknowledgedByteCount: UInt64 = 0

    init(flags: BLIPFlags, isStreamed: Bool) {
        self.flags = flags.subtracting(.moreComing)
        mode = isStreamed && flags.type == .reply ? .stream : .collect
    }

    /// Adds a payload; for a streamed message takes out the part of the body that is there.
    ///
    /// - Throws: `badProperties`, `propertiesTooLarge`, which end the connection.
    mutating func append(
        _ payload: [UInt8], wireByteCount: UInt64, propertiesLimit: Int
    ) throws(BLIPError) {
        self.wireByteCount += wireByteCount
        guard mode != .discard else { return }
        if buffer.isEmpty { buffer = payload } else { buffer.append(contentsOf: payload) }
        if properties == nil { try readProperties(limit: propertiesLimit) }
    }

    /// Takes what is there of a streamed body.
    mutating func takePiece() -> [UInt8] {
        guard mode == .stream, properties != nil else { return [] }
        let piece = buffer
        buffer = []
        return piece
    }

    /// Drops what was collected, and everything that follows.
    mutating func discard() {
        mode = .discard
        buffer = []
    }

    private mutating func readProperties(limit: Int) throws(BLIPError) {
        // The length itself may be cut; ten bytes without an end are an error whatever follows.
        guard buffer.count >= BLIPVarint.maximumByteCount || buffer.contains(where: { $0 < 0x80 }) else { return }
        var index = 0
        let count = try BLIPVarint.read(buffer[...], at: &index)
        guard count <= UInt64(limit) else {
            throw BLIPError(.propertiesTooLarge, "a message has \(count) bytes of properties; the limit is \(limit)")
        }
        let end = index + Int(count)
        guard buffer.count >= end else { return }
        properties = try BLIPProperties(parsing: buffer[index..<end])
        buffer.removeSubrange(..<end)
    }
}
