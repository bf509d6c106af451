internal import SealiteDatabase
internal import SealiteValues

/// The ranges of an index's keys that a filter allows.
struct IndexSearch: Sendable {
    let index: PathIndex
    /// The ranges of keys that are searched. A document is found if it has a key in one of them.
    let ranges: [ClosedRange<ComparableBytes>]
    /// The score of the search: 2 for each of the index's first paths for which the filter lists values, and 1 if it
    /// bounds the values at the path after these.
    let score: Int

    /// The maximum number of ranges of a search.
    private static let maximumRangeCount = 100
    /// A byte that is greater than any byte at its position in a key.
    private static let above: UInt8 = 0xFF

    /// Returns the best search for a filter among the indexes of a collection; nil if only a scan is possible.
    static func best(_ bounds: FilterBounds, _ indexes: [PathIndex]) -> IndexSearch? {
        guard !bounds.paths.isEmpty else { return nil }
        return indexes.compactMap { IndexSearch(bounds, $0) }.max { $0.score < $1.score }
    }

    private init?(_ bounds: FilterBounds, _ index: PathIndex) {
        var prefixes: [[UInt8]] = [[]]
        var ranges: [ClosedRange<ComparableBytes>]?
        var score = 0
        for path in index.model.paths {
            let candidates = bounds.paths.filter { $0.path == path && !(index.model.options.sparse && $0.includesNull) }
            guard let bound = candidates.first else { break }
            if bound.intervals.allSatisfy(\.isPoint), prefixes.count * bound.intervals.count <= Self.maximumRangeCount {
                prefixes = prefixes.flatMap { left in bound.intervals.map { left + Self.key($0.lower) } }
                score += 2
                continue
            }
            guard prefixes.count * bound.intervals.count <= Self.maximumRangeCount else { break }
            ranges = prefixes.flatMap { left in
                bound.intervals.map { Self.range(left + Self.key($0.lower), left + Self.key($0.upper)) }
            }
            score += 1
            break
        }
        guard score > 0 else { return nil }
        self.index = index
        self.ranges = ranges ?? prefixes.map { Self.range($0, $0) }
        self.score = score
    }

    /// Returns the bytes of a value in an index's key. A missing value has the bytes of null.
    static func key(_ value: BSON) -> [UInt8] {
        OrderKey.bytes(of: value.isNullish ? .null : value)
    }

    /// Returns the range from a lower key up to all keys that begin with an upper one.
    static func range(_ lower: [UInt8], _ upper: [UInt8]) -> ClosedRange<ComparableBytes> {
        let limit = OrderKey.maximumByteCount
        let low = ComparableBytes(bytes: Array(lower.prefix(limit)))
        return low...max(low, ComparableBytes(bytes: upper.prefix(limit) + [above]))
    }

    /// Returns the SQL condition on the documents that have a key in the ranges; its parameters are numbered after a
    /// given one. It includes documents that have one empty key instead of their own keys, because they are damaged or
    /// have too many.
    func condition(after parameter: Int) -> String {
        "number IN (\(entries(after: parameter).joined(separator: " UNION ALL ")))"
    }

    /// The SQL statement that returns the row number of each document that is found, once and in no particular order.
    var sqlForNumbers: String { entries(after: 0).joined(separator: " UNION ") }

    /// Returns the SQL statements, one for each range and one for empty keys, that return the row numbers of documents,
    /// once for each key.
    private func entries(after parameter: Int) -> [String] {
        let table = index.table
        let entries = ranges.indices.map { range in
            let first = parameter + 2 * range + 1
            return "SELECT document FROM \(table) WHERE key1 BETWEEN ?\(first) AND ?\(first + 1)"
        }
        return entries + ["SELECT document FROM \(table) WHERE key1 = x''"]
    }

    /// Binds the parameters of `condition(after:)`; with `parameter` 0, those of `sqlForNumbers`.
    func bind(_ statement: borrowing PreparedStatement, after parameter: Int) {
        for (index, range) in ranges.enumerated() {
            statement.bind(range.lowerBound.bytes, at: CInt(parameter + 2 * index + 1))
            statement.bind(range.upperBound.bytes, at: CInt(parameter + 2 * index + 2))
        }
    }
}

extension FilterBounds.PathBounds {
    /// A Boolean value that says whether a document without a value, or with null, at the path may fulfil the filter.
    fileprivate var includesNull: Bool { includesMissing || intervals.contains { $0.lower.isNullish } }
}
