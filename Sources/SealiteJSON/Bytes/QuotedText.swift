internal import SealiteBase

extension String {
    /// Returns the text with every occurrence of a Unicode scalar replaced.
    ///
    /// The search is by Unicode scalars: Swift's own search treats an apostrophe followed by a combining mark as
    /// another character, while SQL, shells and CSV treat it as an apostrophe.
    package func replacing(scalar: Unicode.Scalar, with replacement: String) -> String {
        guard unicodeScalars.contains(scalar) else { return self }
        var result = String.UnicodeScalarView()
        for next in unicodeScalars {
            if next == scalar { result.append(contentsOf: replacement.unicodeScalars) } else { result.append(next) }
        }
        return String(result)
    }

    /// Returns the text between two quotation marks `mark`, with each `mark` in it doubled, as in SQL and CSV.
    package func quoted(_ mark: Unicode.Scalar) -> String {
        var quoted = ""
        quoted.reserveCapacity(utf8.count + 2)
        quoted.unicodeScalars.append(mark)
        if !mark.isASCII || utf8.contains(UInt8(truncatingIfNeeded: mark.value)) {
            quoted += replacing(scalar: mark, with: "\(mark)\(mark)")
        } else {
            quoted += self
        }
        quoted.unicodeScalars.append(mark)
        return quoted
    }
}

/// Percent-encoding of bytes in URLs and names (RFC 3986 §2.1).
package enum PercentCoding {
    /// Returns a text with all bytes of its UTF-8 percent-encoded except those for which `isPlain` returns true.
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

    /// Returns a text encoded as a component of a URL's path: all bytes except letters, digits and `-._~` are
    /// percent-encoded.
    package static func encodePathPart(_ text: String) -> String {
        encode(text) { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                || "-._~".utf8.contains(byte)
        }
    }

    /// Returns the bytes of a percent-encoded text; nil if a `%` isn't followed by two hexadecimal digits.
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
