internal import SealiteCrypto
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
