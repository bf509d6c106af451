/// A syntax error of SQL++: its position, what was expected there, and the nearest known name.
///
/// Its texts quote names, keywords and symbols of the query, but no values, since these may be secret.
package struct QuerySyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The offset of the error in the query's text, in bytes of UTF-8 from 0.
    package var offset: Int { details.offset }
    /// The line of the error in the query's text, counted from 1.
    package var line: Int { details.line }
    /// The column of the error in its line, in Unicode scalars and counted from 1.
    package var column: Int { details.column }
    /// The phrase that describes the error, without its position.
    package var reason: String { details.reason }
    /// The keywords, symbols and kinds of elements that would have been valid at the position; empty if the error isn't
    /// an unexpected token.
    package var expected: [String] { details.expected }
    /// The known name that is most similar to a misspelled name in the text; nil if there is none.
    package var nearest: String? { details.nearest }
    /// A phrase that suggests a correction; nil if there is none.
    package var hint: String? { details.hint }

    /// A single reference, so that errors take little space in the stack frames of the recursive parser.
    private let details: Details

    private final class Details: Sendable {
        let offset: Int
        let line: Int
        let column: Int
        let reason: String
        let expected: [String]
        let nearest: String?
        let hint: String?

        init(
            _ offset: Int, _ place: (line: Int, column: Int), _ reason: String, _ expected: [String],
            _ nearest: String?, _ hint: String?
        ) {
            self.offset = offset
            (line, column) = place
            self.reason = reason
            self.expected = expected
            self.nearest = nearest
            self.hint = hint
        }
    }

    init(
        in bytes: [UInt8], at offset: Int, _ reason: String, expected: [String] = [], nearest: String? = nil,
        hint: String? = nil
    ) {
        details = Details(offset, Self.place(of: offset, in: bytes), reason, expected, nearest, hint)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.offset == right.offset && left.description == right.description && left.expected == right.expected
    }

    /// The whole error message in one line: position, reason, nearest name and hint.
    package var description: String {
        var text = "line \(line), column \(column): \(reason)"
        if let nearest { text += "; did you mean \(nearest)?" }
        if let hint { text += " (\(hint))" }
        return text
    }

    private static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        let before = bytes.prefix(offset)
        let newline = UInt8(ascii: "\n")
        let lineStart = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
        // Continuation bytes of UTF-8 aren't counted.
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 }
        return (before.count { $0 == newline } + 1, column + 1)
    }
}

/// Joins phrases with commas and "or".
func alternatives(_ phrases: [String]) -> String {
    guard let last = phrases.last, phrases.count > 1 else { return phrases.first ?? "" }
    return phrases.dropLast().joined(separator: ", ") + " or " + last
}
