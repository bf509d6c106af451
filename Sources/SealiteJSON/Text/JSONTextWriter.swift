/// Writes compact JSON text (RFC 8259) into bytes; commas stand where they belong by themselves.
///
/// Nothing secret belongs here: the bytes are ordinary memory.
package struct JSONTextWriter: Sendable {
    /// The bytes that were written.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// The text that was written.
    package var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes an array whose elements `content` writes.
    package mutating func array(_ content: (inout JSONTextWriter) -> Void) {
        container(UInt8(ascii: "["), UInt8(ascii: "]"), content)
    }

    /// Writes an object whose members `content` writes, each as a `name(_:)` and a value.
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
        for byte in text.utf8 {
            if JSONEscape.isDue(byte) {
                JSONEscape.forEachByte(of: byte) { bytes.append($0) }
            } else {
                bytes.append(byte)
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

    /// Writes bytes that are a JSON value already.
    package mutating func raw(_ value: some Collection<UInt8>) {
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
