/// Unsigned LEB128: little-endian groups of seven bits, with the high bit set on all but the last byte. The stored
/// formats (Documentation/DocumentFormat.md §1) and BLIP, the message protocol of Couchbase Lite, use it.
public enum Varint {
    /// The maximum number of bytes of a 64-bit value.
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

    /// Returns the number of bytes of a value's shortest form.
    public static func byteCount(of value: UInt64) -> Int {
        max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7)
    }

    /// Reads a varint.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that contain the varint.
    ///   - position: the start of the varint; set to its end; undefined if nil is returned.
    ///   - limit: the end of the readable bytes.
    ///   - takesLongForms: whether a form with more bytes than necessary is accepted.
    /// - Returns: the value; nil if the varint is truncated, has more than 64 bits or isn't in an accepted form.
    @inlinable @inline(__always)
    public static func read(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, limit: Int, takesLongForms: Bool = false
    ) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < limit, shift < 64 {
            let byte = bytes[position]
            position += 1
            // The tenth byte may only contain one bit.
            guard shift < 63 || byte <= 1 else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return byte == 0 && shift > 0 && !takesLongForms ? nil : value }
            shift += 7
        }
        return nil
    }
}
