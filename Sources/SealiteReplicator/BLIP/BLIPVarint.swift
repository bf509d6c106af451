/// Unsigned variable-length integers: little-endian base 128, seven bits a byte, the high bit set on all but the last.
package enum BLIPVarint {
    /// A 64-bit number needs at most this many bytes.
    package static let maximumByteCount = 10

    /// Appends `value`, in 1 to 10 bytes.
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// How many bytes `value` takes.
    package static func byteCount(of value: UInt64) -> Int {
        max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7)
    }

    /// Reads a number at `index` and moves `index` behind it.
    ///
    /// - Throws: `badVarint` if the bytes end inside the number or it exceeds 64 bits.
    package static func read(_ bytes: ArraySlice<UInt8>, at index: inout Int) throws(BLIPError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            // The tenth byte has room for one bit only.
            guard shift < 63 || (shift == 63 && byte <= 1) else {
                throw BLIPError(.badVarint, "a varint exceeds 64 bits")
            }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw BLIPError(.badVarint, "a varint has no last byte")
    }
}
