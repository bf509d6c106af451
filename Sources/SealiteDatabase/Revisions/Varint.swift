/// Unsigned LEB128 as the format writes it (Documentation/DocumentFormat.md §1).
enum Varint {
    @inline(__always)
    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a varint and moves past it; nil when it is cut off, too long or not in its shortest form.
    @inline(__always)
    static func read(_ bytes: borrowing Span<UInt8>, _ position: inout Int, limit: Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < limit, shift < 64 {
            let byte = bytes[position]
            position += 1
            guard shift < 63 || byte <= 1 else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return byte == 0 && shift > 0 ? nil : value }
            shift += 7
        }
        return nil
    }
}
