/// Text in the form in which it may be written to a terminal.
enum TerminalText {
    /// Returns the text with everything escaped that a terminal would obey, as in JSON: control characters of C0 and C1
    /// except tabs and line ends, DEL, and characters that change the direction of writing. JSON keeps its meaning.
    static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.isControl && $0 != "\n" && $0 != "\t" }) else { return text }
        var harmless = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\t": harmless.append(scalar)
            case "\r": harmless.append(contentsOf: "\\r".unicodeScalars)
            case _ where scalar.isControl:
                let number = String(scalar.value, radix: 16).padded(to: 4, with: "0", right: false)
                harmless.append(contentsOf: "\\u\(number)".unicodeScalars)
            default: harmless.append(scalar)
            }
        }
        return String(harmless)
    }
}

extension Unicode.Scalar {
    /// A Boolean value that says whether the scalar is in C0 or C1, is DEL, or changes the direction of writing.
    var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
