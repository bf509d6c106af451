internal import SealiteDatabase

/// Computes the difference of each result of a query from the previous result. Between two results it keeps the keys
/// and the hashes of rows.
struct DeltaMaker {
    let keyColumn: String
    private static let hint = "select a column with a different value in each row, such as META().id"
    private var keys: [QueryValue] = []
    private var hashes: [RowHash] = []
    private var isFirst = true

    init(keyColumn: String) { self.keyColumn = keyColumn }

    /// Returns the difference of a result from the previous one, with rows that `read` decodes, and keeps the new
    /// result's keys and hashes.
    ///
    /// - Throws: `invalidParameter` for keys that are missing or not unique, `decodingFailed`; then those of the new
    ///   result aren't kept.
    mutating func delta<Row: Sendable>(
        to rows: LiveRows, _ read: (Result) throws -> Row
    ) throws -> QueryDelta<Row> {
        assert(keys.count == hashes.count, "each row of the last result has a key and a hash")
        assert(!isFirst || keys.isEmpty, "nothing is known before the first result")
        let newKeys = try rows.results.map { try key(of: $0) }
        let newHashes = rows.results.map { RowHasher.hash($0.values) }
        try checkUnique(newKeys)
        let difference = RowDifference(from: (keys, hashes), to: (newKeys, newHashes))
        func placement(_ place: Int) throws -> QueryDelta<Row>.Placement {
            .init(offset: place, row: try read(rows.results[place]))
        }
        let delta = QueryDelta(
            removed: difference.removed.map { .init(offset: $0, key: keys[$0].value(nil) ?? .null) },
            inserted: try difference.inserted.map(placement),
            moved: difference.moved.map { .init(from: $0.from, to: $0.to) },
            updated: try difference.updated.map { try placement($0.to) },
            isFirst: isFirst, oldCount: keys.count, newCount: newKeys.count)
        (keys, hashes, isFirst) = (newKeys, newHashes, false)
        return delta
    }

    private func key(of row: Result) throws -> QueryValue {
        if let position = row.columns.position(keyColumn) {
            if row.values[position] != .missing { return row.values[position] }
        } else if row.columns.isValue, let value = row.value(at: 0)?.dictionary?.value(forKey: keyColumn) {
            return try QueryValue(value)
        }
        throw DatabaseError(
            .invalidParameter,
            "a row of the result has no value in the column or member \"\(keyColumn)\", by which deltas identify rows",
            hint: Self.hint)
    }

    private func checkUnique(_ keys: [QueryValue]) throws {
        var seen: Set<QueryValue> = []
        for key in keys where !seen.insert(key).inserted {
            throw DatabaseError(
                .invalidParameter,
                "two rows of the result have the same value in the column or member \"\(keyColumn)\", by which deltas "
                    + "identify rows",
                hint: Self.hint)
        }
    }
}
