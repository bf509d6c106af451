/// Writes JSON (RFC 8259) into bytes.
package struct JSONWriter: Sendable {
    /// What was written.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// Writes an array whose elements `content` writes.
    package mutating func array(_ content: (inout JSONWriter) -> Void) {
        container(UInt8(ascii: "["), UInt8(ascii: "]"), content)
    }

    /// Writes an object whose members `content` writes, each as a `name(_:)` and a value.
    package mutating func object(_ content: (inout JSONWriter) -> Void) {
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
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes an integer.
    package mutating func integer(_ value: some BinaryInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes bytes that are a JSON value already.
    package mutating func raw(_ value: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: value)
    }

    private mutating func container(_ opening: UInt8, _ closing: UInt8, _ content: (inout JSONWriter) -> Void) {
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
