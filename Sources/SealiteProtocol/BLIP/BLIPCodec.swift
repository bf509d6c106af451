/// The sending half of the codec: turns payloads into BLIP frames, with the direction's checksum and deflate context.
package struct BLIPEncoder: ~Copyable {
    private var checksum = BLIPChecksum()
    private var deflater: BLIPDeflater
    private let isCompressing: Bool

    /// Starts a direction. Level 0 sends nothing compressed, whatever the flags ask.
    ///
    /// - Throws: `codecUnavailable` if zlib cannot be set up.
    package init(compressionLevel: Int) throws(BLIPError) {
        deflater = try BLIPDeflater(level: compressionLevel)
        isCompressing = compressionLevel > 0
    }

    /// The bytes of one BLIP frame. An empty payload is sent without the compressed flag.
    package mutating func frame(
        number: UInt64, flags: BLIPFlags, payload: ArraySlice<UInt8>
    ) throws(BLIPError) -> [UInt8] {
        var flags = flags
        if !isCompressing || payload.isEmpty { flags.remove(.compressed) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + BLIPVarint.byteCount(of: number) + 5)
        BLIPFrameHeader(number: number, flags: flags).append(to: &bytes)
        if flags.contains(.compressed) {
            try deflater.deflate(payload, appendingTo: &bytes)
        } else {
            bytes.append(contentsOf: payload)
        }
        checksum.add(payload)
        checksum.append(to: &bytes)
        return bytes
    }

    /// The bytes of an acknowledgement, which has no part in the codec.
    package static func acknowledgement(number: UInt64, ofReply: Bool, receivedByteCount: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        let type: BLIPFrameType = ofReply ? .replyAcknowledgement : .requestAcknowledgement
        BLIPFrameHeader(number: number, flags: BLIPFlags(type, [.urgent, .noReply])).append(to: &bytes)
        BLIPVarint.append(receivedByteCount, to: &bytes)
        return bytes
    }
}

/// The receiving half of the codec: takes BLIP frames apart, with the direction's checksum and inflate context.
package struct BLIPDecoder: ~Copyable {
    private var checksum = BLIPChecksum()
    private var inflater: BLIPInflater
    private let frameLimit: Int
    private let inflatedLimit: Int

    /// The content of one BLIP frame.
    package enum Content: Sendable, Hashable {
        /// A piece of a message, and how many bytes of it count for flow control.
        case payload([UInt8], wireByteCount: UInt64)
        /// A peer's count of the bytes it received of a message.
        case acknowledged(UInt64)
    }

    /// Starts a direction.
    ///
    /// - Throws: `codecUnavailable` if zlib cannot be set up.
    package init(limits: BLIPLimits) throws(BLIPError) {
        inflater = try BLIPInflater()
        frameLimit = limits.frameByteCount
        inflatedLimit = limits.inflatedFrameByteCount
    }

    /// Takes one BLIP frame apart. After an error the direction's state is lost and the connection must close.
    ///
    /// BLIP frames of undefined kinds pass through the codec too, so that it stays in step with the sender's.
    ///
    /// - Throws: `frameTooLarge`, `truncatedFrame`, `badVarint`, `badCompression`, `inflatedTooLarge`, `badChecksum`.
    package mutating func decode(
        _ frame: ArraySlice<UInt8>
    ) throws(BLIPError) -> (header: BLIPFrameHeader, content: Content) {
        guard frame.count <= frameLimit else {
            throw BLIPError(.frameTooLarge, "a BLIP frame has \(frame.count) bytes; the limit is \(frameLimit)")
        }
        var (header, index) = try BLIPFrameHeader.parse(frame)
        if header.flags.type?.isAcknowledgement == true {
            return (header, .acknowledged(try BLIPVarint.read(frame, at: &index)))
        }
        let wire = frame[index...]
        guard wire.count >= 4 else {
            throw BLIPError(.truncatedFrame, "a BLIP frame of \(frame.count) bytes has no room for its checksum")
        }
        let coded = wire.dropLast(4)
        let payload =
            header.flags.contains(.compressed)
            ? try inflater.inflate(coded, limit: inflatedLimit) : Array(coded)
        checksum.add(payload[...])
        guard checksum.value == BLIPChecksum.read(wire.suffix(4)) else {
            throw BLIPError(.badChecksum, "the checksum of BLIP frame \(header.number) does not match")
        }
        return (header, .payload(payload, wireByteCount: UInt64(wire.count)))
    }
}
