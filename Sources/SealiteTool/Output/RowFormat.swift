internal import SealiteBase
import SealiteFile
import SealiteJSON

/// The formats in which rows are written.
enum RowFormat {
    case columns
    case json
    case csv

    /// Returns a printer of rows in this format. If `leavesOutNone` is true, a cell without a value is omitted from
    /// JSON and empty in columns; otherwise it is null in JSON and `NULL` in columns. If `isValue` is true, JSON has the
    /// value of each row's only cell instead of an object.
    func makePrinter(leavesOutNone: Bool = false, isValue: Bool = false) -> any RowPrinter {
        switch self {
        case .columns: ColumnPrinter(none: leavesOutNone ? "" : "NULL")
        case .json: JSONPrinter(leavesOutNone: leavesOutNone, isValue: isValue)
        case .csv: CSVPrinter()
        }
    }
}

/// Writes one array for each statement that returns rows: of objects or, for SELECT VALUE, of values.
private final class JSONPrinter: RowPrinter {
    private var output = OutputBuffer()
    private var names: [String] = []
    private var isFirst = true
    /// A Boolean value that says whether cells without a value are left out, because JSON can't express MISSING.
    private let leavesOutNone: Bool
    private let isValue: Bool

    init(leavesOutNone: Bool, isValue: Bool) { (self.leavesOutNone, self.isValue) = (leavesOutNone, isValue) }

    func begin(columns: [String]) {
        names = columns.map { JSONValue.text($0).encoded }
        isFirst = true
        output.add("[")
    }

    func row(_ row: [RowCell]) {
        if !isFirst { output.add(",\n") }
        isFirst = false
        if isValue, let cell = row.first { return output.add(cell.value.encoded) }
        var text = "{"
        var isFirstMember = true
        for (name, cell) in zip(names, row) {
            guard let value = value(cell) else { continue }
            if !isFirstMember { text += "," }
            isFirstMember = false
            text += name + ":" + value
        }
        output.add(text + "}")
    }

    /// Returns the JSON text of a cell; nil for one without a value that is left out.
    private func value(_ cell: RowCell) -> String? {
        if cell == .none, leavesOutNone { return nil }
        return cell.value.encoded
    }

    func end() {
        output.add("]\n")
        output.flush()
    }
}

/// Writes CSV (<https://www.rfc-editor.org/rfc/rfc4180>) with LF line ends. NULL is an empty field, an empty text is
/// "", and blobs are x'…'.
private final class CSVPrinter: RowPrinter {
    private var output = OutputBuffer()

    func begin(columns: [String]) { output.add(columns.map(Self.quoted).joined(separator: ",") + "\n") }

    func row(_ row: [RowCell]) {
        let fields = row.map { cell in
            switch cell {
            case .none: ""
            case .blob(let bytes): "x'\(bytes.hex)'"
            case .number(let text): text
            case .text(let text), .json(let text): Self.quoted(text)
            }
        }
        output.add(fields.joined(separator: ",") + "\n")
    }

    func end() { output.flush() }

    private static func quoted(_ text: String) -> String {
        guard text.isEmpty || text.unicodeScalars.contains(where: { ",\"\n\r".unicodeScalars.contains($0) }) else {
            return text
        }
        return text.quoted("\"")
    }
}

/// Writes rows of cells.
protocol RowPrinter: AnyObject {
    func begin(columns: [String])
    func row(_ cells: [RowCell])
    func end()
}

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

/// A value of a row in the form that printers write.
enum RowCell: Sendable {
    /// No value: SQL's NULL, or a SQL++ column that is MISSING.
    case none
    /// A number as JSON text.
    case number(String)
    case text(String)
    /// SQL++'s NULL, true, false, an array or an object, as JSON text.
    case json(String)
    case blob([UInt8])

    /// The value as JSON, `null` if there is none. Blobs are `{"base64":…}`, to distinguish them from texts.
    var value: JSONValue {
        switch self {
        case .none: .null
        case .number(let text): .number(text)
        case .json(let text): .json(text)
        case .text(let text): .text(text)
        case .blob(let bytes): ["base64": Base64.encode(bytes)]
        }
    }
}

extension RowCell: Hashable {
    private var kind: Int {
        switch self {
        case .none: 0
        case .number: 1
        case .text: 2
        case .json: 3
        case .blob: 4
        }
    }

    private var bytes: [UInt8] {
        switch self {
        case .none: []
        case .number(let text), .text(let text), .json(let text): Array(text.utf8)
        case .blob(let bytes): bytes
        }
    }

    /// Returns whether two cells are equal. Texts are compared byte by byte: canonically equivalent ones are different
    /// values.
    static func == (left: RowCell, right: RowCell) -> Bool { left.kind == right.kind && left.bytes == right.bytes }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(bytes)
    }
}

/// Passes the rows of SQL statements to a printer.
final class RawRowSink: RowSink {
    private let printer: any RowPrinter
    private let willBegin: () -> Void

    /// Creates a sink; `willBegin` is called before the first row of each statement that returns rows.
    init(_ printer: any RowPrinter, willBegin: @escaping () -> Void = {}) {
        (self.printer, self.willBegin) = (printer, willBegin)
    }

    func begin(columns: [String]) {
        willBegin()
        printer.begin(columns: columns)
    }

    func row(_ row: borrowing RawRow) {
        var cells: [RowCell] = []
        for column in 0..<row.columnCount {
            switch row.kind(column) {
            case .null: cells.append(.none)
            case .blob: cells.append(.blob(row.blob(column)))
            case .integer: cells.append(.number(row.text(column) ?? "0"))
            case .real:
                let value = row.real(column)
                cells.append(.number(value.isFinite ? row.text(column) ?? "0" : value > 0 ? "1e999" : "-1e999"))
            case .text: cells.append(.text(row.text(column) ?? ""))
            }
        }
        printer.row(cells)
    }

    func end() { printer.end() }
}

/// Buffers output, so that not every row needs a system call.
struct OutputBuffer {
    private var text = ""
    private static let limit = 1 << 16

    mutating func add(_ piece: String) {
        text += piece
        if text.utf8.count >= Self.limit { flush() }
    }

    mutating func flush() {
        if !text.isEmpty { Console.write(text) }
        text = ""
    }
}
