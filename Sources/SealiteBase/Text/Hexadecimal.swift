/// Hexadecimal digits of bytes and back. The calls for single digits and buffers are also for secrets, whose text and
/// bytes the caller keeps in memory that is wiped.
package enum Hexadecimal {
    /// Returns the value of a hexadecimal digit in ASCII, in either case; nil for other bytes.
    @inlinable
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x41...0x46: digit - 0x41 + 10
        default: lowercaseValue(digit)
        }
    }

    /// Returns the value of a decimal digit or a lowercase letter from a to f, in ASCII; nil for other bytes.
    @inlinable
    package static func lowercaseValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// Returns the lowercase hexadecimal digit, in ASCII, of a value below 16.
    @inlinable @inline(__always)
    package static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }

    /// Returns bytes as lowercase hexadecimal digits, two for each byte.
    package static func text(of bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes { append(byte, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the two lowercase hexadecimal digits of a byte.
    @inlinable
    package static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
    }

    /// Returns the 16 bytes of a UUID in lowercase hexadecimal digits, in the groups of RFC 9562: `8-4-4-4-12`.
    package static func uuid(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
            append(byte, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of an even number of hexadecimal digits in either case; nil for any other text.
    package static func bytes(of text: String) -> [UInt8]? {
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
