internal import SealiteBase

/// The escapes that Sealite writes in JSON strings: `\"`, `\\`, `\n`, `\r`, `\t`, and `\u00xx` for other control
/// characters. DEL is escaped too, since terminals and logs interpret it as a control character.
package enum JSONEscape {
    /// Returns whether a byte of UTF-8 is escaped in JSON strings.
    @inlinable @inline(__always)
    package static func isDue(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F
    }

    /// Calls `body` with each byte of the escape for a byte for which ``isDue(_:)`` returns true.
    @inlinable
    package static func forEachByte(of byte: UInt8, _ body: (UInt8) -> Void) {
        body(0x5C)
        switch byte {
        case 0x22, 0x5C: body(byte)
        case 0x0A: body(0x6E)
        case 0x0D: body(0x72)
        case 0x09: body(0x74)
        default:
            body(0x75)
            body(0x30)
            body(0x30)
            body(Hexadecimal.digit(byte >> 4))
            body(Hexadecimal.digit(byte & 15))
        }
    }

    /// Calls `body` with each byte that is written between the quotes of a JSON string for a text in UTF-8.
    package static func forEachByte(in utf8: borrowing Span<UInt8>, _ body: (UInt8) -> Void) {
        for index in 0..<utf8.count {
            if isDue(utf8[index]) { forEachByte(of: utf8[index], body) } else { body(utf8[index]) }
        }
    }
}
