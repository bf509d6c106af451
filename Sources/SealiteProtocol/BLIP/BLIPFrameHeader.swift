import CZlib
internal import SealiteJSON

/// The two numbers that every BLIP frame begins with.
package struct BLIPFrameHeader: Sendable, Hashable {
    /// The number of the request that this BLIP frame belongs to or replies to; each side numbers its requests from 1.
    package var number: UInt64
    /// The kind and the flags of the BLIP frame.
    package var flags: BLIPFlags

    /// The length of the header in bytes.
    var byteCount: Int { BLIPVarint.byteCount(of: number) + BLIPVarint.byteCount(of: UInt64(flags.rawValue)) }

    /// Parses the header and returns it with the index of the first byte after it.
    ///
    /// - Throws: `truncatedFrame` for no bytes at all, `badVarint` if one of the numbers is malformed.
    package static func parse(
        _ frame: ArraySlice<UInt8>
    ) throws(BLIPError) -> (header: BLIPFrameHeader, payloadStart: Int) {
        guard !frame.isEmpty else { throw BLIPError(.truncatedFrame, "a BLIP frame has no bytes") }
        var index = frame.startIndex
        let number = try BLIPVarint.read(frame, at: &index)
        let flags = try BLIPVarint.read(frame, at: &index)
        return (BLIPFrameHeader(number: number, flags: BLIPFlags(rawValue: UInt8(truncatingIfNeeded: flags))), index)
    }

    /// Appends the header's bytes.
    package func append(to bytes: inout [UInt8]) {
        BLIPVarint.append(number, to: &bytes)
        BLIPVarint.append(UInt64(flags.rawValue), to: &bytes)
    }
}

/// The kind of a BLIP frame: the low three bits of its flags.
package enum BLIPFrameType: UInt8, Sendable {
    case request = 0
    case reply = 1
    case error = 2
    case requestAcknowledgement = 4
    case replyAcknowledgement = 5

    /// A Boolean value that says whether the BLIP frame acknowledges received bytes. Such a frame has no message
    /// payload and no checksum.
    package var isAcknowledgement: Bool { self == .requestAcknowledgement || self == .replyAcknowledgement }
}

/// The byte of a BLIP frame that has its kind and its flags. Unknown bits are preserved and ignored.
package struct BLIPFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// This BLIP frame's payload is deflated.
    package static let compressed = BLIPFlags(rawValue: 0x08)
    /// The message is sent before messages that aren't urgent.
    package static let urgent = BLIPFlags(rawValue: 0x10)
    /// The request expects neither a reply nor an error.
    package static let noReply = BLIPFlags(rawValue: 0x20)
    /// More BLIP frames of this message follow.
    package static let moreComing = BLIPFlags(rawValue: 0x40)

    static let typeMask: UInt8 = 0x07

    init(_ type: BLIPFrameType, _ flags: BLIPFlags = []) {
        rawValue = (flags.rawValue & ~Self.typeMask) | type.rawValue
    }

    /// The kind of the BLIP frame; nil for the undefined kinds 3, 6 and 7.
    package var type: BLIPFrameType? { BLIPFrameType(rawValue: rawValue & Self.typeMask) }
}

/// The encoder and decoder of BLIP's unsigned variable-length integers, whose errors are `BLIPError`.
package enum BLIPVarint {
    /// The maximum length of a 64-bit number in bytes.
    package static let maximumByteCount = Varint.maximumByteCount

    /// Appends `value`, in 1 to 10 bytes.
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) { Varint.append(value, to: &bytes) }

    /// Returns the length of `value` in bytes.
    package static func byteCount(of value: UInt64) -> Int { Varint.byteCount(of: value) }

    /// Reads a number at `index` and advances `index` past it. An encoding with more bytes than necessary is accepted.
    ///
    /// - Throws: `badVarint` if the bytes end inside the number or it exceeds 64 bits.
    package static func read(_ bytes: ArraySlice<UInt8>, at index: inout Int) throws(BLIPError) -> UInt64 {
        let span = bytes.span
        let start = index - bytes.startIndex
        assert(start >= 0 && start <= span.count, "the index lies in the bytes")
        var position = start
        defer { index = bytes.startIndex + position }
        guard let value = Varint.read(span, &position, limit: span.count, takesLongForms: true) else {
            let isCutOff = span.count - start < Varint.maximumByteCount
            throw BLIPError(
                .badVarint,
                isCutOff ? "a variable-length integer has no last byte" : "a variable-length integer exceeds 64 bits")
        }
        return value
    }
}

/// The running checksum of one direction of a BLIP connection: CRC-32 (ISO-HDLC, zlib's) over all payloads before
/// compression.
package struct BLIPChecksum: Sendable, Hashable {
    /// The CRC-32 of all payloads added so far.
    package private(set) var value: UInt32 = 0

    package init() {}

    /// Adds a payload to the checksum.
    package mutating func add(_ bytes: ArraySlice<UInt8>) {
        value = unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return value }
            let address = unsafe base.assumingMemoryBound(to: UInt8.self)
            return unsafe UInt32(truncatingIfNeeded: crc32_z(UInt(value), address, buffer.count))
        }
    }

    /// Appends the checksum: four bytes, big-endian.
    package func append(to bytes: inout [UInt8]) {
        for shift in stride(from: 24, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }

    /// Reads a checksum: four bytes, big-endian.
    static func read(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        assert(bytes.count == 4, "a checksum has four bytes")
        return bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
