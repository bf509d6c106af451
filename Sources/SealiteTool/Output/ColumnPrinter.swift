internal import SealiteCrypto
import SealiteFile
import SealiteJSON

/// Writes aligned columns, which are as wide as the first rows need. Control characters are escaped.
final class ColumnPrinter: RowPrinter {
    /// The text before each further line; its width is constant within one result.
    var mark = ""
    private var output = OutputBuffer()
    private var head: [[String]] = []
    private var widths: [Int] = []
    private var numeric: [Bool] = []
    /// The number of rows that are examined before the first is written; a larger number would cost memory on long
    /// results.
    private static let lookahead = 200
    private static let widest = 60
    /// The text of a cell without a value.
    private let none: String

    init(none: String) { self.none = none }

    func begin(columns: [String]) {
        head = [columns.map(\.withoutControls)]
        widths = []
        numeric = Array(repeating: true, count: columns.count)
    }

    func row(_ row: [RowCell]) {
        var cells: [String] = []
        for (column, cell) in row.enumerated() {
            switch cell {
            case .none: cells.append(none)
            case .blob(let bytes): cells.append("x'\(bytes.hex)'")
            case .number(let text): cells.append(text)
            case .text(let text), .json(let text):
                cells.append(text.withoutControls)
                if widths.isEmpty { numeric[column] = false }
            }
        }
        guard widths.isEmpty else { return write(cells) }
        head.append(cells)
        if head.count > Self.lookahead { writeHead() }
    }

    func end() {
        if widths.isEmpty { writeHead() }
        output.flush()
    }

    private func writeHead() {
        // Without rows, the numeric columns are unknown.
        if head.count == 1 { numeric = Array(repeating: false, count: numeric.count) }
        widths = head[0].indices.map { column in min(Self.widest, head.map { $0[column].count }.max() ?? 0) }
        write(head[0])
        write(widths.map { String(repeating: "-", count: $0) })
        for row in head.dropFirst() { write(row) }
        head = []
    }

    private func write(_ cells: [String]) {
        let last = cells.count - 1
        let line = cells.enumerated().map { column, cell in
            column == last && !numeric[column] ? cell : cell.padded(to: widths[column], right: !numeric[column])
        }
        output.add(mark + line.joined(separator: "  ") + "\n")
    }
}
