internal import SealiteBase

/// A writer of compact JSON text (RFC 8259), which inserts commas automatically.
///
/// It isn't suitable for secrets, since the memory isn't wiped.
package struct JSONTextWriter: Sendable {
    /// The UTF-8 of the text that was written.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// The text that was written.
    package var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes an array; `content` writes its elements.
    package mutating func array(_ content: (inout JSONTextWriter) -> Void) {
        container(UInt8(ascii: "["), UInt8(ascii: "]"), content)
    }

    /// Writes an object; `content` writes its members, each as a `name(_:)` and a value.
    package mutating func object(_ content: (inout JSONTextWriter) -> Void) {
        container(UInt8(ascii: "{"), UInt8(ascii: "}"), content)
    }

    /// Writes a member's name.
    package mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    package mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            if unsafe utf8.contains(where: JSONEscape.isDue) {
                unsafe JSONEscape.forEachByte(in: utf8.span) { bytes.append($0) }
            } else {
                unsafe bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes an integer.
    package mutating func integer(_ value: some BinaryInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes `true` or `false`.
    package mutating func boolean(_ value: Bool) { raw((value ? "true" : "false").utf8) }

    /// Writes `null`.
    package mutating func null() { raw("null".utf8) }

    /// Writes bytes that are a JSON value.
    package mutating func raw(_ value: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: value)
    }

    /// Writes a text that is a JSON value.
    package mutating func raw(_ value: String.UTF8View) {
        separate()
        bytes.append(contentsOf: value)
    }

    private mutating func container(
        _ opening: UInt8, _ closing: UInt8, _ content: (inout JSONTextWriter) -> Void
    ) {
        separate()
        bytes.append(opening)
        needsComma = false
        content(&self)
        bytes.append(closing)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}

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

    /// Appends a text in UTF-8, escaped as between the quotes of a JSON string.
    package static func append(_ utf8: borrowing Span<UInt8>, to output: inout GrowingBytes) {
        var copied = 0
        for index in 0..<utf8.count where isDue(utf8[index]) {
            output.append(utf8, copied, index)
            copied = index + 1
            forEachByte(of: utf8[index]) { output.append($0) }
        }
        output.append(utf8, copied, utf8.count)
    }
}
