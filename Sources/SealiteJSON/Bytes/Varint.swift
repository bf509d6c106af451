/// Unsigned LEB128: little-endian groups of seven bits, the high bit set on all but the last byte. The stored formats have it
/// (Documentation/DocumentFormat.md §1), and so has BLIP.
public enum Varint {
    /// The number of bytes that suffice for 64 bits.
    public static let maximumByteCount = 10

    /// Appends a value in its shortest form.
    @inlinable @inline(__always)
    public static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The number of bytes that a value takes.
    public static func byteCount(of value: UInt64) -> Int {
        max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7)
    }

    /// Reads a varint and moves past it.
    ///
    /// - Parameters:
    ///   - bytes: what the varint is in.
    ///   - position: where it starts; behind it afterwards, anywhere where nil is returned.
    ///   - limit: where the bytes end, within them.
    ///   - takesLongForms: whether a form with more bytes than the value needs is taken.
    /// - Returns: nil if it is cut off, has more than 64 bits or isn't in a form that is taken.
    @inlinable @inline(__always)
    public static func read(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, limit: Int, takesLongForms: Bool = false
    ) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < limit, shift < 64 {
            let byte = bytes[position]
            position += 1
            // The tenth byte has room for one bit only.
            guard shift < 63 || byte <= 1 else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return byte == 0 && shift > 0 && !takesLongForms ? nil : value }
            shift += 7
        }
        return nil
    }
}
