/// Writes lines for people: the first result in columns, then each event with its sign before the row.
struct LiveColumnPrinter: LivePrinter {
    private let printer = ColumnPrinter(none: "")

    func begin(with rows: LiveRows) {
        printer.mark = "  "
        printer.begin(columns: rows.columns)
        for row in rows.rows { printer.row(row) }
        printer.end()
    }

    func write(_ events: [LiveEvent], of rows: LiveRows) {
        for event in events {
            printer.mark = event.kind.sign + " "
            printer.row(event.row)
        }
        printer.end()
    }
}
