/// A place in a text in which something is wrong.
struct ErrorPlace {
    /// The first line is 1, and so is the first column, in Unicode scalars.
    let line: Int
    let column: Int

    /// The place that the message of an error of SQL++ begins with; nil where it begins otherwise.
    init?(ofMessage message: String) {
        guard let place = message.prefixMatch(of: #/line (\d+), column (\d+): /#), let line = Int(place.output.1),
            let column = Int(place.output.2)
        else { return nil }
        (self.line, self.column) = (line, column)
    }

    /// The place at an offset in bytes of UTF-8.
    init(offset: Int, in text: String) {
        let before = text.utf8.prefix(offset)
        let newline = UInt8(ascii: "\n")
        line = before.count { $0 == newline } + 1
        // Bytes that continue a scalar aren't counted.
        column = before.reversed().prefix { $0 != newline }.count { $0 & 0xC0 != 0x80 } + 1
    }

    /// The number of characters of a line that are shown: as many as fit most terminals.
    private static let width = 76

    /// The line of the text, or the part around the place of one that is long, and a caret below the place; empty where the text has no such line.
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
