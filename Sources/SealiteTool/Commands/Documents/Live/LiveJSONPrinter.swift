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
            output.add(JSONValue.object(members).encoded + "\n")
        }
        func row(_ cells: [RowCell]) -> JSONValue {
            if rows.isValue, let cell = cells.first { return cell.value }
            return .object(zip(rows.columns, cells.map(\.value)).map { ($0, $1) })
        }
        for event in events {
            add([
                ("kind", .text(event.kind.rawValue)), ("position", .integer(Int64(event.position))),
                ("from", event.from.map { .integer(Int64($0)) } ?? .null),
                ("row", row(event.row)),
            ])
        }
        add([("kind", .text("result")), ("count", .integer(Int64(rows.rows.count)))])
        output.flush()
    }
}
