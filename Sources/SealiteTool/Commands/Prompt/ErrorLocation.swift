/// The location of an error in a text.
struct ErrorLocation {
    /// The number of the line; lines and columns are counted from 1, columns in Unicode scalars.
    let line: Int
    let column: Int

    /// Creates a location from the start of an SQL++ error message; nil if the message doesn't start with one.
    init?(ofMessage message: String) {
        guard let place = message.prefixMatch(of: #/line (\d+), column (\d+): /#), let line = Int(place.output.1),
            let column = Int(place.output.2)
        else { return nil }
        (self.line, self.column) = (line, column)
    }

    /// Creates the location of an offset in a text. The offset is a number of UTF-8 bytes.
    init(offset: Int, in text: String) {
        let before = text.utf8.prefix(offset)
        let newline = UInt8(ascii: "\n")
        line = before.count { $0 == newline } + 1
        // Continuation bytes of a scalar aren't counted.
        column = before.reversed().prefix { $0 != newline }.count { $0 & 0xC0 != 0x80 } + 1
    }

    /// The maximum number of characters of a line that are shown, which fits most terminals.
    private static let width = 76

    /// Returns the line of the text, or the part around the location if the line is long, with a caret below the
    /// location; empty if the text has no such line.
    func pointer(in text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else { return "" }
        let scalars = lines[line - 1].unicodeScalars
        let shown = String(lines[line - 1]).withoutControls
        let place = String(String.UnicodeScalarView(scalars.prefix(max(column, 1) - 1))).withoutControls.count
        let start = max(0, min(place - Self.width / 2, shown.count - Self.width))
        let part = shown.dropFirst(start).prefix(Self.width)
        return "  \(part)\n  \(String(repeating: " ", count: place - start))^\n"
    }
}
