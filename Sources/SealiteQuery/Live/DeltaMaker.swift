internal import SealiteDatabase

/// Compares each result with the one before, of which it keeps the keys and hashes of rows.
struct DeltaMaker {
    let keyColumn: String
    private var keys: [QueryValue] = []
    private var hashes: [RowHash] = []
    private var isFirst = true

    init(keyColumn: String) { self.keyColumn = keyColumn }

    /// Returns what differs, and keeps the new result's keys.
    ///
    /// - Throws: `invalidParameter` for keys that are missing or not unique, `decodingFailed`; nothing is kept then.
    mutating func delta<Row: Sendable>(
        to rows: LiveRows, _ read: (Result) throws -> Row
    ) throws -> QueryDelta<Row> {
        let newKeys = try rows.results.map { try key(of: $0) }
        let newHashes = rows.results.map { RowHasher.hash($0.values) }
        try checkUnique(newKeys)
        let oldPlaces = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
        var (inserted, updated) = ([QueryDelta<Row>.Placement](), [QueryDelta<Row>.Placement]())
        var kept: [(from: Int, to: Int)] = []
        for (place, key) in newKeys.enumerated() {
            let old = oldPlaces[key]
            if let old { kept.append((old, place)) }
            guard old.map({ hashes[$0] }) != newHashes[place] else { continue }
            let row = try read(rows.results[place])
            if old == nil {
                inserted.append(.init(offset: place, row: row))
            } else {
                updated.append(.init(offset: place, row: row))
            }
        }
        let stayed = Set(Self.longestIncreasing(kept.map(\.from)))
        let keptPlaces = Set(kept.map(\.from))
        let delta = QueryDelta(
            removed: keys.indices.filter { !keptPlaces.contains($0) }
                .map { .init(offset: $0, key: keys[$0].value(nil) ?? .null) },
            inserted: inserted,
            moved: kept.indices.filter { !stayed.contains($0) }.map { .init(from: kept[$0].from, to: kept[$0].to) },
            updated: updated, isFirst: isFirst, oldCount: keys.count, newCount: newKeys.count)
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
            .invalidParameter, "a row of the result has no value in the column \"\(keyColumn)\", its key")
    }

    private func checkUnique(_ keys: [QueryValue]) throws {
        var seen: Set<QueryValue> = []
        for key in keys where !seen.insert(key).inserted {
            throw DatabaseError(
                .invalidParameter,
                "two rows of the result have the same value in the column \"\(keyColumn)\", their key",
                hint: "META().id tells documents apart")
        }
    }

    /// Returns the places of a longest increasing run of different numbers.
    static func longestIncreasing(_ numbers: [Int]) -> [Int] {
        // The places of the least numbers at which runs of each length end, and the place before each place in its run.
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[place] = ends[low - 1] }
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var run: [Int] = []
        var place = ends.last ?? -1
        while place >= 0 {
            run.append(place)
            place = before[place]
        }
        return run.reversed()
    }
}
