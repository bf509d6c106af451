import SealiteQuery

/// A live query: its result, followed by its changes.
struct LiveSession {
    let query: SealiteQuery.Query
    /// The path of the database's file.
    let path: String
    /// The column that identifies rows; nil for the column `id` if its values are unique, or otherwise the whole row.
    let keyColumn: String?
    let printsJSON: Bool

    /// Writes results until a signal ends the command.
    func run() throws {
        guard try !query.changesDocuments else {
            throw ToolError.usage(
                "a statement that changes documents can't be watched", hint: "--live takes a query, such as SELECT")
        }
        let place = try CommandEnvironment(path)
        try stoppable { try await place.watched(follow) }
    }

    @Sendable private func follow() async throws {
        let printer: any LivePrinter = printsJSON ? LiveJSONPrinter() : LiveColumnPrinter()
        var rows: LiveResult?
        for await change in query.updates {
            if let error = change.error {
                // An error of the first result ends the command, as it does for an ordinary query.
                try Self.goOn(after: ToolError(any: error), hasResult: rows != nil)
            } else if let results = change.results {
                let new = try LiveResult(results, keyColumn: keyColumn)
                if let old = rows { printer.write(new.events(since: old), of: new) } else { printer.begin(with: new) }
                rows = new
                try Console.requireWritten()
            }
        }
    }

    /// Prints a warning for an error after which the query can continue; throws any other error, and every error if
    /// there is no result yet.
    private static func goOn(after failure: ToolError, hasResult: Bool) throws {
        switch failure.status {
        case .failed, .usage, .noInput, .tryAgain:
            guard hasResult else { throw failure }
            Console.warn(failure.code, failure.message + "; the query continues with the next change")
        default: throw failure
        }
    }
}

/// A result of a live query.
struct LiveResult {
    let columns: [String]
    /// A Boolean value that says whether each row is the value of its only column, as with SELECT VALUE.
    let isValue: Bool
    let rows: [[RowCell]]
    /// The index of the column that identifies rows; nil if whole rows identify themselves.
    private let keyColumn: Int?

    /// The key of a row: the value of a column, or the row with the number of equal rows before it.
    private enum Key: Hashable {
        case column(RowCell)
        case row([RowCell], Int)
    }

    /// Reads a result.
    ///
    /// - Throws: errors from reading, and an error if the named column doesn't exist, two rows have the same value in
    ///   it, or a row has no value there.
    init(_ results: ResultSet, keyColumn name: String?) throws {
        (columns, isValue) = (results.columnNames, results.isValue)
        var rows: [[RowCell]] = []
        while let row = try results.nextResult() { rows.append(try row.cells) }
        self.rows = rows
        guard let name else {
            keyColumn = columns.firstIndex(of: "id").flatMap { Self.tellsApart($0, rows) ? $0 : nil }
            return
        }
        guard let place = columns.firstIndex(of: name) else {
            throw ToolError.usage(
                "the query has no column \"\(name)\"", hint: "it has: \(columns.joined(separator: ", "))")
        }
        guard Self.tellsApart(place, rows) else {
            throw ToolError(
                .failed, code: "ambiguous-key",
                "two rows of the result have the same value in the column \"\(name)\", or a row has no value there",
                hint:
                    "name another column with --keyed-by, such as one that selects META().id; or leave --keyed-by out: rows are then identified by their whole content"
            )
        }
        keyColumn = place
    }

    private static func tellsApart(_ column: Int, _ rows: [[RowCell]]) -> Bool {
        var seen: Set<RowCell> = []
        return rows.allSatisfy { $0[column] != .none && seen.insert($0[column]).inserted }
    }

    private func keys(byColumn: Bool) -> [Key] {
        if byColumn, let keyColumn { return rows.map { .column($0[keyColumn]) } }
        var counts: [[RowCell]: Int] = [:]
        return rows.map { row in
            let count = counts[row, default: 0]
            counts[row] = count + 1
            return .row(row, count)
        }
    }

    /// Returns the differences between an earlier result and this one as events: first the removed rows in the order of
    /// their old positions, then the inserted, moved and changed rows in the order of their new positions.
    func events(since old: LiveResult) -> [LiveEvent] {
        let byColumn = keyColumn != nil && old.keyColumn != nil
        let difference = RowDifference(
            from: (old.keys(byColumn: byColumn), old.rows), to: (keys(byColumn: byColumn), rows))
        let origins = Dictionary(uniqueKeysWithValues: difference.moved.map { ($0.to, $0.from) })
        let updated = Set(difference.updated.map(\.to))
        let removed = difference.removed.map { LiveEvent(kind: .removed, position: $0, row: old.rows[$0]) }
        var placed = difference.inserted.map { LiveEvent(kind: .inserted, position: $0, row: rows[$0]) }
        for place in updated {
            placed.append(LiveEvent(kind: .updated, position: place, from: origins[place], row: rows[place]))
        }
        for (place, origin) in origins where !updated.contains(place) {
            placed.append(LiveEvent(kind: .moved, position: place, from: origin, row: rows[place]))
        }
        return removed + placed.sorted { $0.position < $1.position }
    }
}

/// A difference between two successive results of a live query: a row that was inserted, removed, changed or moved.
struct LiveEvent {
    /// The kind of an event; the names are those in JSON.
    enum Kind: String {
        case inserted
        case removed
        case updated
        case moved
    }

    let kind: Kind
    /// The row's position in the new result, counted from 0, or in the previous result if the row was removed.
    let position: Int
    /// The row's position in the previous result, if it was moved; otherwise nil.
    var from: Int?
    /// The present row, or the last one before its removal.
    let row: [RowCell]
}

/// Writes the results of a live query.
protocol LivePrinter {
    /// Writes the first result.
    func begin(with rows: LiveResult)
    /// Writes the differences between the previous result and a later one, `rows`.
    func write(_ events: [LiveEvent], of rows: LiveResult)
}

extension LiveEvent.Kind {
    /// The sign of the event's kind, which is written before the row.
    var sign: String {
        switch self {
        case .inserted: "+"
        case .removed: "-"
        case .updated: "~"
        case .moved: ">"
        }
    }
}

/// Writes lines for people: the first result in columns, then each event with its sign before the row.
struct LiveColumnPrinter: LivePrinter {
    private let printer = ColumnPrinter(none: "")

    func begin(with rows: LiveResult) {
        printer.mark = "  "
        printer.begin(columns: rows.columns)
        for row in rows.rows { printer.row(row) }
        printer.end()
    }

    func write(_ events: [LiveEvent], of rows: LiveResult) {
        for event in events {
            printer.mark = event.kind.sign + " "
            printer.row(event.row)
        }
        printer.end()
    }
}

/// Writes JSON for programs, one object on a line: each row of the first result as an insertion, then the differences,
/// and a line after each result.
struct LiveJSONPrinter: LivePrinter {
    func begin(with rows: LiveResult) {
        write(
            rows.rows.enumerated().map { LiveEvent(kind: .inserted, position: $0.offset, row: $0.element) }, of: rows)
    }

    func write(_ events: [LiveEvent], of rows: LiveResult) {
        var output = OutputBuffer()

        func add(_ line: JSONValue) { output.add(line.encoded + "\n") }
        func row(_ cells: [RowCell]) -> JSONValue {
            if rows.isValue, let cell = cells.first { return cell.value }
            return .object(zip(rows.columns, cells.map(\.value)).map { ($0, $1) })
        }
        for event in events {
            add([
                "kind": event.kind.rawValue, "position": event.position, "from": event.from, "row": row(event.row),
            ])
        }
        add(["kind": "result", "count": rows.rows.count])
        output.flush()
    }
}
