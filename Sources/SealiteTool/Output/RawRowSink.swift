internal import SealiteCrypto
import SealiteFile
import SealiteJSON

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
