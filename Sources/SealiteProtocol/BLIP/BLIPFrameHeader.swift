/// The two numbers that every BLIP frame begins with.
package struct BLIPFrameHeader: Sendable, Hashable {
    /// The number of the request that this BLIP frame belongs to or replies to; each side numbers its requests from 1.
    package var number: UInt64
    /// The kind and the flags of the BLIP frame.
    package var flags: BLIPFlags

    package init(number: UInt64, flags: BLIPFlags) {
        self.number = number
        self.flags = flags
    }

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
