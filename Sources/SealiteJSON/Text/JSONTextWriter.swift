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
