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

/// The difference between two lists of rows, by positions from 0. Rows are identified by keys that are unique in each
/// list.
package struct RowDifference {
    /// A row that is in both lists.
    package struct Pair: Sendable {
        /// The row's position in the old list, from 0.
        package let from: Int
        /// The row's position in the new list, from 0.
        package let to: Int
    }

    /// The positions in the old list of the rows that the new list doesn't have, ascending.
    package let removed: [Int]
    /// The positions in the new list of the rows that the old list doesn't have, ascending.
    package let inserted: [Int]
    /// The rows that moved, in the order of their new positions. Those that didn't move are a longest sequence of rows,
    /// of those in both lists, whose order didn't change.
    package let moved: [Pair]
    /// The rows in both lists whose content changed, moved or not, in the order of their new positions.
    package let updated: [Pair]

    /// Compares two lists of rows, each given by the rows' keys and their contents, for which hashes may stand.
    package init<Key: Hashable, Content: Equatable>(
        from old: (keys: [Key], contents: [Content]), to new: (keys: [Key], contents: [Content])
    ) {
        assert(
            old.keys.count == old.contents.count && new.keys.count == new.contents.count, "a row has a key and content")
        let oldPlaces = Dictionary(zip(old.keys, old.keys.indices)) { first, _ in first }
        var (inserted, kept) = ([Int](), [Pair]())
        for (place, key) in new.keys.enumerated() {
            if let from = oldPlaces[key] { kept.append(Pair(from: from, to: place)) } else { inserted.append(place) }
        }
        let stayed = Set(Self.longestIncreasing(kept.map(\.from)))
        let keptPlaces = Set(kept.map(\.from))
        removed = old.keys.indices.filter { !keptPlaces.contains($0) }
        self.inserted = inserted
        moved = kept.indices.filter { !stayed.contains($0) }.map { kept[$0] }
        updated = kept.filter { old.contents[$0.from] != new.contents[$0.to] }
        assert(removed.count + kept.count == old.keys.count, "keys are unique in each list")
        assert(stayed.count + moved.count == kept.count)
    }

    /// Returns the positions in `numbers` of a longest increasing subsequence. The numbers must be distinct.
    static func longestIncreasing(_ numbers: [Int]) -> [Int] {
        // `ends` has, for each length, the position of the least number with which a subsequence of this length ends;
        // `before` has the predecessor of each position.
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
        assert(run.count == ends.count, "the predecessors lead through each length")
        return run.reversed()
    }
}

/// Computes the 128-bit hash of a sequence of values with two keyed hash functions.
struct RowHasher {
    // `Hasher` has a random key for each process too, but an environment variable of the Swift runtime can fix it.
    private static let keys = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))

    private var first = Hasher()
    private var second = Hasher()

    init() {
        first.combine(Self.keys.0)
        first.combine(0)
        second.combine(Self.keys.1)
        second.combine(1)
    }

    /// Adds a value to the hash, preceded by its kind and, unless its size is fixed, by its length.
    mutating func combine(_ value: QueryValue) {
        switch value {
        case .missing: number(0, 0)
        case .integer(let integer): number(1, UInt64(bitPattern: integer))
        case .real(let double): number(2, double.bitPattern)
        case .text(let text): bytes(3, text.utf8.span)
        case .element(let element): bytes(4, element.span)
        }
    }

    /// Adds the values of a row and an end mark.
    mutating func combine(_ row: [QueryValue]) {
        for value in row { combine(value) }
        number(5, UInt64(row.count))
    }

    private mutating func number(_ kind: UInt8, _ bits: UInt64) {
        first.combine(kind)
        first.combine(bits)
        second.combine(kind)
        second.combine(bits)
    }

    private mutating func bytes(_ kind: UInt8, _ bytes: Span<UInt8>) {
        number(kind, UInt64(bytes.count))
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe first.combine(bytes: bytes)
            unsafe second.combine(bytes: bytes)
        }
    }

    func finalize() -> RowHash {
        RowHash(
            first: UInt64(bitPattern: Int64(first.finalize())), second: UInt64(bitPattern: Int64(second.finalize())))
    }

    /// Returns the hash of one row.
    static func hash(_ row: [QueryValue]) -> RowHash {
        var hasher = RowHasher()
        hasher.combine(row)
        return hasher.finalize()
    }
}

/// A 128-bit hash of a row or of all rows of a result. The hash function has random keys, which differ in each process,
/// so that nobody can choose stored values for which two results count as equal.
struct RowHash: Sendable, Hashable {
    let first: UInt64
    let second: UInt64
}
