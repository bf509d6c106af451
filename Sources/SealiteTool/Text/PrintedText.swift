import SealiteJSON

extension String {
    /// The text with control characters escaped, because content of a file must not control a terminal.
    var withoutControls: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isControl:
                text += "\\x" + String(scalar.value, radix: 16).padded(to: 2, with: "0", right: false)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The text with its lines and tabs, and with all other control characters escaped.
    var withoutControlsInLines: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).withoutControls }
                    .joined(separator: "\t")
            }
            .joined(separator: "\n")
    }
}

extension String {
    /// The text as one argument of a shell command, in quotes if necessary.
    var shellArgument: String {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x3A, 0x40...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F: true
            default: false
            }
        }
        return isPlain && !isEmpty ? self : "'" + replacing(scalar: "'", with: "'\\''") + "'"
    }
}

/// Returns a number with its noun, in the plural unless the number is 1.
func counted(_ number: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
}

/// Returns a number of bytes in a form for people, such as `512 bytes` or `1.5 KiB (1536 bytes)`.
func sizeText(_ byteCount: Int64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var (value, unit) = (Double(byteCount), 0)
    while value >= 1024, unit < units.count - 1 {
        value /= 1024
        unit += 1
    }
    return unit == 0
        ? counted(byteCount, "byte") : "\((value * 10).rounded() / 10) \(units[unit]) (\(byteCount) bytes)"
}

extension StringProtocol {
    /// The text without white space at its ends.
    var trimmed: SubSequence {
        var rest = self[...].drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}

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
