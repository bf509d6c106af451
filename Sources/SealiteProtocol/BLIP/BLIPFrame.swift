/// The kind of a BLIP frame: the low three bits of its flags.
package enum BLIPFrameType: UInt8, Sendable {
    case request = 0
    case reply = 1
    case error = 2
    case requestAcknowledgement = 4
    case replyAcknowledgement = 5

    /// A Boolean value that says whether the BLIP frame acknowledges bytes, and so has neither payload nor checksum.
    package var isAcknowledgement: Bool { self == .requestAcknowledgement || self == .replyAcknowledgement }
}

/// The flags byte of a BLIP frame. Bits that mean nothing here are kept and ignored.
package struct BLIPFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// This BLIP frame's payload is deflated.
    package static let compressed = BLIPFlags(rawValue: 0x08)
    /// The message goes before others that are not urgent.
    package static let urgent = BLIPFlags(rawValue: 0x10)
    /// The request wants neither a reply nor an error.
    package static let noReply = BLIPFlags(rawValue: 0x20)
    /// More BLIP frames of this message follow.
    package static let moreComing = BLIPFlags(rawValue: 0x40)

    static let typeMask: UInt8 = 0x07

    init(_ type: BLIPFrameType, _ flags: BLIPFlags = []) {
        rawValue = (flags.rawValue & ~Self.typeMask) | type.rawValue
    }

    /// The kind, or nil for the kinds 3, 6 and 7, which nobody has defined.
    package var type: BLIPFrameType? { BLIPFrameType(rawValue: rawValue & Self.typeMask) }
}

/// The two numbers that every BLIP frame begins with.
package struct BLIPFrameHeader: Sendable, Hashable {
    /// Number of the request that this BLIP frame belongs to or answers; each side counts its own from 1.
    package var number: UInt64
    /// Kind and flags.
    package var flags: BLIPFlags

    package init(number: UInt64, flags: BLIPFlags) {
        self.number = number
        self.flags = flags
    }

    /// Reads the header and returns it with the index of the first byte behind it.
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
