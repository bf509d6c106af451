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

    /// Returns the line and the column, both from 1, of an offset in a text.
    package static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
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

/// Suggests a known name for a misspelled one.
package enum NearestName {
    /// Returns the known name with the smallest edit distance from a misspelled one, ignoring case; nil if none is
    /// close: at most one edit for a name of up to three bytes, two for up to eight, otherwise three. Also nil if the
    /// misspelled name is empty or longer than 40 bytes.
    package static func to(_ name: String, among known: some Sequence<String>) -> String? {
        let bytes = Array(name.uppercased().utf8)
        // No known name is longer than 40 bytes, and the cost of a comparison is quadratic.
        guard !bytes.isEmpty, bytes.count <= 40 else { return nil }
        let limit = bytes.count <= 3 ? 1 : bytes.count <= 8 ? 2 : 3
        var best: (name: String, distance: Int)?
        for candidate in known {
            let distance = distance(bytes, Array(candidate.uppercased().utf8))
            if distance <= limit, distance < best?.distance ?? .max, distance < bytes.count {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// Returns the edit distance: the number of insertions, deletions, replacements and transpositions that turn one
    /// name into the other; `Int.max` if their lengths differ by more than three.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if left.count - right.count > 3 || right.count - left.count > 3 { return .max }
        var beforeLast = [Int]()
        var last = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(current[column] + 1, last[column + 1] + 1, last[column] + (byte == other ? 0 : 1))
                if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last.last ?? 0
    }
}
