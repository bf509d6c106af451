/// Hexadecimal coding of bytes that aren't secret.
public enum Hexadecimal {
    /// Returns the value of a hexadecimal digit in ASCII, in either case; nil for other bytes.
    public static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        case 0x41...0x46: digit - 0x41 + 10
        default: nil
        }
    }

    /// Returns the lowercase hexadecimal digit, in ASCII, of a value below 16.
    @inlinable @inline(__always)
    public static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }

    /// Returns bytes as lowercase hexadecimal digits, two for each byte.
    public static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of an even number of hexadecimal digits in either case; nil for any other text.
    public static func bytes(of text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for sign in text.utf8 {
            guard let value = value(sign) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }
}
