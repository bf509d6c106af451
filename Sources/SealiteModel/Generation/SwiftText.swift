/// Lines of Swift source text.
struct SwiftText {
    private(set) var lines: [String] = []
    private var indentation = ""

    /// Adds a line with the current indentation; an empty line if there is no text.
    mutating func line(_ text: String = "") { lines.append(text.isEmpty ? "" : indentation + text) }

    /// Increases the indentation of the following lines.
    mutating func indent() { indentation += "    " }

    /// Decreases the indentation of the following lines.
    mutating func outdent() { indentation.removeLast(min(4, indentation.count)) }

    /// Adds a call or a declaration with its arguments, on one line if they fit, otherwise with one argument on each
    /// line.
    mutating func list(_ start: String, _ arguments: [String], _ end: String) {
        let whole = start + arguments.joined(separator: ", ") + end
        guard indentation.count + whole.count > 120 else { return line(whole) }
        line(start)
        indent()
        for (index, argument) in arguments.enumerated() {
            line(argument + (index + 1 < arguments.count ? "," : ""))
        }
        outdent()
        line(end)
    }

    /// Adds a text as a documentation comment.
    mutating func comment(_ text: String) {
        for part in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            line(("/// " + Self.plain(part)).trimmingEnd)
        }
    }

    /// Returns a text for comments, without invisible characters, which may change the direction of writing or confuse
    /// a compiler.
    static func plain(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if SwiftLiteral.isPlain(scalar) {
                result.unicodeScalars.append(scalar)
            } else if scalar == "\t" || scalar.properties.isWhitespace {
                result += " "
            }
        }
        return result
    }
}

extension String {
    /// The text without trailing white space.
    fileprivate var trimmingEnd: String {
        var end = endIndex
        while end > startIndex, self[index(before: end)].isWhitespace { end = index(before: end) }
        return String(self[..<end])
    }
}
