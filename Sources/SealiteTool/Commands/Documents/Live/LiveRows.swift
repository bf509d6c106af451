import SealiteQuery

/// A result of a live query.
struct LiveRows {
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
    func events(since old: LiveRows) -> [LiveEvent] {
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
