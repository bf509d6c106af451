import SealiteFile

/// How rows are written.
enum RowFormat {
    case columns
    case json
    case csv

    func makePrinter() -> any RowSink {
        switch self {
        case .columns: ColumnPrinter()
        case .json: JSONPrinter()
        case .csv: CSVPrinter()
        }
    }
}

/// Gathers output, so that a row isn't a system call.
private struct OutputBuffer {
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

extension RawRow {
    fileprivate func hexBlob(_ column: Int) -> String { "x'\(blob(column).hex)'" }
}

/// Aligned columns: as wide as the first rows need. Control characters are written as escapes.
private final class ColumnPrinter: RowSink {
    private var output = OutputBuffer()
    private var head: [[String]] = []
    private var widths: [Int] = []
    private var numeric: [Bool] = []
    /// How many rows are looked at before the first is written; more would cost memory on long results.
    private static let lookahead = 200
    private static let widest = 60

    func begin(columns: [String]) {
        head = [columns.map(\.withoutControls)]
        widths = []
        numeric = Array(repeating: true, count: columns.count)
    }

    func row(_ row: borrowing RawRow) {
        var cells: [String] = []
        for column in 0..<row.columnCount {
            switch row.kind(column) {
            case .null: cells.append("NULL")
            case .blob: cells.append(row.hexBlob(column))
            case .integer, .real: cells.append(row.text(column) ?? "")
            case .text:
                cells.append((row.text(column) ?? "").withoutControls)
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
        output.add(line.joined(separator: "  ") + "\n")
    }
}

/// One array of objects for each statement that gives rows. Blobs are `{"base64":…}`, so that no text looks like one.
private final class JSONPrinter: RowSink {
    private var output = OutputBuffer()
    private var names: [String] = []
    private var isFirst = true

    func begin(columns: [String]) {
        names = columns.map { JSONValue.text($0).encoded }
        isFirst = true
        output.add("[")
    }

    func row(_ row: borrowing RawRow) {
        var text = isFirst ? "{" : ",\n{"
        isFirst = false
        for column in 0..<row.columnCount {
            if column > 0 { text += "," }
            text += names[column] + ":" + value(row, column).encoded
        }
        output.add(text + "}")
    }

    private func value(_ row: borrowing RawRow, _ column: Int) -> JSONValue {
        switch row.kind(column) {
        case .null: .null
        case .integer: .integer(row.integer(column))
        case .real:
            row.real(column).isFinite
                ? .number(row.text(column) ?? "0") : .number(row.real(column) > 0 ? "1e999" : "-1e999")
        case .text: .text(row.text(column) ?? "")
        case .blob: .object([("base64", .text(base64(row.blob(column))))])
        }
    }

    func end() {
        output.add("]\n")
        output.flush()
    }
}

/// https://www.rfc-editor.org/rfc/rfc4180, with LF line ends. NULL is an empty field, an empty text is "", blobs are x'…'.
private final class CSVPrinter: RowSink {
    private var output = OutputBuffer()

    func begin(columns: [String]) { output.add(columns.map(Self.quoted).joined(separator: ",") + "\n") }

    func row(_ row: borrowing RawRow) {
        var fields: [String] = []
        for column in 0..<row.columnCount {
            switch row.kind(column) {
            case .null: fields.append("")
            case .blob: fields.append(row.hexBlob(column))
            case .integer, .real: fields.append(row.text(column) ?? "")
            case .text: fields.append(Self.quoted(row.text(column) ?? ""))
            }
        }
        output.add(fields.joined(separator: ",") + "\n")
    }

    func end() { output.flush() }

    private static func quoted(_ text: String) -> String {
        guard text.isEmpty || text.unicodeScalars.contains(where: { ",\"\n\r".unicodeScalars.contains($0) }) else {
            return text
        }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// https://www.rfc-editor.org/rfc/rfc4648#section-4
func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        for digit in 0..<4 {
            text.append(digit <= group.count ? alphabet[bits >> (18 - 6 * digit) & 63] : UInt8(ascii: "="))
        }
    }
    return String(decoding: text, as: UTF8.self)
}
