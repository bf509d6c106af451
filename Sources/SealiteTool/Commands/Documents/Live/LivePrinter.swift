/// Writes the results of a live query.
protocol LivePrinter {
    /// Writes the first result.
    func begin(with rows: LiveRows)
    /// Writes the differences of a later result.
    func write(_ events: [LiveEvent], of rows: LiveRows)
}

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

extension LiveEvent.Kind {
    /// The sign that is written before a row.
    fileprivate var sign: String {
        switch self {
        case .inserted: "+"
        case .removed: "-"
        case .updated: "~"
        case .moved: ">"
        }
    }
}

/// Writes JSON for programs, one object on a line: each row of the first result as an insertion, then the differences,
/// and a line after each result.
struct LiveJSONPrinter: LivePrinter {
    func begin(with rows: LiveRows) {
        write(
            rows.rows.enumerated().map { LiveEvent(kind: .inserted, position: $0.offset, row: $0.element) }, of: rows)
    }

    func write(_ events: [LiveEvent], of rows: LiveRows) {
        var output = OutputBuffer()
        func add(_ members: [(String, JSONValue)]) {
            output.add(JSONValue.object(members).encoded.jsonForOutput + "\n")
        }
        for event in events {
            add([
                ("kind", .text(event.kind.rawValue)), ("position", .integer(Int64(event.position))),
                ("from", event.from.map { .integer(Int64($0)) } ?? .null),
                ("row", .object(zip(rows.columns, event.row.map(\.value)).map { ($0, $1) })),
            ])
        }
        add([("kind", .text("result")), ("count", .integer(Int64(rows.rows.count)))])
        output.flush()
    }
}
