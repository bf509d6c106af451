/// Bytes in URLs and names as `%` and two hexadecimal digits (RFC 3986 §2.1).
package enum PercentCoding {
    /// Returns a text with all bytes encoded but those that may stand as they are.
    package static func encode(_ text: String, keeping isPlain: (UInt8) -> Bool) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded += Hexadecimal.text(of: [byte]).uppercased().utf8
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Returns a text as a part of a URL's path: all but letters, digits and `-._~` encoded.
    package static func encodePathPart(_ text: String) -> String {
        encode(text) { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                || "-._~".utf8.contains(byte)
        }
    }

    /// Returns the bytes of an encoded text; nil if two hexadecimal digits don't follow a `%`.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hexadecimal.value),
                let low = rest.popFirst().flatMap(Hexadecimal.value)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
