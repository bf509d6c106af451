internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// A scan of an index whose entries are in the order of a sort, and the range of its keys that a filter allows.
///
/// The paths that the filter requires to be equal to one value come first in the index, followed by the paths of the
/// sort. If all directions are the same, the entries are read forwards or backwards. If the index covers only the first
/// paths of the sort, or only these have the same direction, documents with equal values at these paths are sorted by
/// the remaining paths in memory.
struct IndexOrder: Sendable {
    let index: PathIndex
    let sort: SortOrder
    /// The number of the sort's paths, from the first one, in whose order the index's entries are.
    let servedCount: Int
    /// A Boolean value that says whether the entries are read backwards.
    let isDescending: Bool
    /// The number of the filter's conditions that bound the range, weighted as in `IndexSearch.score`.
    let score: Int
    /// The range of the index's keys that is read; nil for all keys.
    let range: ClosedRange<ComparableBytes>?
    /// A Boolean value that says whether the entries are in the order of the whole sort, and documents with equal keys
    /// in natural order, so that nothing has to be sorted in memory.
    let isExact: Bool
    /// The indices of the sort's paths whose values follow `prefix` in the keys. `prefix` has the key bytes of the
    /// paths that the filter requires to be equal to one value.
    private let keyed: [Int]
    private let prefix: [UInt8]
    /// The name of the collection's table of documents.
    private let documents: String

    /// Creates the scan of an index for a sort; nil if the index's entries aren't in the order of the sort, or if the
    /// index is sparse.
    init?(_ bounds: FilterBounds, _ sort: SortOrder, _ index: PathIndex, collection number: Int) {
        // A sparse index has no entry for a document without values at its paths.
        guard !index.model.options.sparse, index.grid == nil else { return nil }
        let paths = index.model.paths
        var (place, prefix) = (0, [UInt8]())
        while place < paths.count, let value = bounds.point(at: paths[place]) {
            prefix += IndexSearch.key(value)
            place += 1
        }
        let (constant, first) = (Set(paths[..<place].map { ExactText($0) }), place)
        var (served, keyed, direction) = (0, [Int](), Bool?.none)
        for (number, key) in sort.keys.enumerated() {
            guard let path = key.path?.text else { break }
            if !constant.contains(ExactText(path)) {
                guard place < paths.count, ExactText.areSame(paths[place], path),
                    direction ?? key.isDescending == key.isDescending
                else { break }
                direction = key.isDescending
                keyed.append(number)
                place += 1
            }
            served += 1
        }
        isDescending = direction ?? false
        isExact = !isDescending && served == sort.keys.count && place == paths.count
        guard direction != nil || isExact else { return nil }
        (self.index, self.sort, servedCount, self.keyed, self.prefix) = (index, sort, served, keyed, prefix)
        documents = "documents_\(number)"
        if first < paths.count, let bound = bounds.hull(at: paths[first]) {
            range = IndexSearch.range(prefix + IndexSearch.key(bound.lower), prefix + IndexSearch.key(bound.upper))
            score = 2 * first + 1
        } else {
            range = prefix.isEmpty ? nil : IndexSearch.range(prefix, prefix)
            score = 2 * first
        }
    }

    /// Returns the best scan in the order of a sort among the indexes of a collection; nil if no index has this order,
    /// or if a search by another index or by `_id` is better.
    ///
    /// Indexes in which a document has several entries aren't considered, since they don't determine an order of
    /// documents.
    static func best(_ filter: Filter, _ sort: SortOrder, _ collection: Collection) throws -> IndexOrder? {
        guard !ScanPlan.looksUpIDs(filter), filter.near == nil else { return nil }
        let indexes = try PathIndex.all(of: collection)
        guard !indexes.isEmpty else { return nil }
        let bounds = FilterBounds(filter)
        let least = IndexSearch.best(bounds, indexes)?.score ?? 0
        let orders = indexes.compactMap { IndexOrder(bounds, sort, $0, collection: collection.number) }
            .filter { $0.score >= least }
            .sorted { ($0.score, $0.servedCount) > ($1.score, $1.servedCount) }
        for order in orders where try order.index.hasSingleEntries(collection) { return order }
        return nil
    }

    // MARK: - Reading

    /// The SQL statement; its columns are the document's ID, body and row number, and the length of its index entry in
    /// bytes.
    var sql: String {
        let direction = isDescending ? " DESC" : ""
        let condition = range == nil ? "" : "WHERE e.key1 BETWEEN ?1 AND ?2 "
        return """
            SELECT d.id, d.body, e.document, length(e.key1) FROM \(index.table) AS e
            CROSS JOIN \(documents) AS d ON d.number = e.document
            \(condition)ORDER BY e.key1\(direction), e.document\(direction)
            """
    }

    /// Binds the statement's parameters.
    func bind(_ statement: borrowing PreparedStatement) {
        guard let range else { return }
        statement.bind(range.lowerBound.bytes, at: 1)
        statement.bind(range.upperBound.bytes, at: 2)
    }

    /// Returns the part of a document's key that has the values of the first `servedCount` paths of the sort: the order
    /// of documents for which this part is equal isn't determined by the index.
    func servedKey(_ values: [BSON]) -> [UInt8] {
        let key = keyed.reduce(into: prefix) { $0 += OrderKey.bytes(of: values[$1]) }
        return Array(key.prefix(OrderKey.maximumByteCount))
    }
}

extension FilterBounds {
    /// Returns the only value that documents may have at a path according to the filter; nil if several values are
    /// possible, if there is none, or if the value is null.
    fileprivate func point(at path: String) -> BSON? {
        for bound in paths where ExactText.areSame(bound.path, path) {
            if bound.intervals.count == 1, bound.intervals[0].isPoint, !bound.intervals[0].lower.isNullish {
                return bound.intervals[0].lower
            }
        }
        return nil
    }

    /// Returns the least and the greatest value that the filter allows at a path; nil if the filter doesn't bound the
    /// path.
    fileprivate func hull(at path: String) -> (lower: BSON, upper: BSON)? {
        guard let bound = paths.first(where: { ExactText.areSame($0.path, path) }),
            var hull = bound.intervals.first.map({ ($0.lower, $0.upper) })
        else { return nil }
        for interval in bound.intervals {
            if interval.lower.compared(to: hull.0) < 0 { hull.0 = interval.lower }
            if interval.upper.compared(to: hull.1) > 0 { hull.1 = interval.upper }
        }
        return hull
    }
}

extension PathIndex {
    /// Returns a Boolean value that says whether it is known that each document of the collection has exactly one entry
    /// in this index, in the state of the database that the calling thread reads.
    ///
    /// The first call in a snapshot reads all documents, and later calls read only the documents that were changed
    /// since. Inside a transaction, whose changes may be rolled back, the result isn't cached, and is false if there
    /// was no earlier call in a snapshot.
    fileprivate func hasSingleEntries(_ collection: Collection) throws -> Bool {
        let database = collection.database
        let (last, isCommitted) = (Int64(clamping: try collection.lastSequence), database.isInSnapshot)
        var known: Int64 = 0
        switch database.indexMarks[record] {
        case .several: return false
        case .single(let sequence):
            guard sequence <= last else { return false }
            if sequence == last { return true }
            known = sequence
        case nil: guard isCommitted else { return false }
        }
        let isSingle = try !hasArrays(behind: known, collection)
        if isCommitted { database.indexMarks[record] = isSingle ? .single(through: last) : .several }
        return isSingle
    }

    private struct Found: Error {}

    /// Returns a Boolean value that says whether one of the index's paths leads through an array in a document that was
    /// changed after a sequence, such a document can't be read, or any document has too many entries or is damaged.
    private func hasArrays(behind sequence: Int64, _ collection: Collection) throws -> Bool {
        let table = "documents_\(collection.number)"
        do {
            try collection.database.readRows("SELECT 1 FROM \(self.table) WHERE key1 = x'' LIMIT 1") { _ in
                throw Found()
            }
            let condition = sequence == 0 ? "number > 0" : "sequence > ?1 AND +number > 0"
            try collection.database.readRows(
                "SELECT body FROM \(table) WHERE \(condition)", bind: { if sequence > 0 { $0.bind(sequence, at: 1) } }
            ) { row in
                if row.withBytes(at: 0, { meetsArray(in: $0) }) { throw Found() }
            }
            return false
        } catch is Found {
            return true
        }
    }

    private func meetsArray(in body: borrowing Span<UInt8>) -> Bool {
        guard let root = JSONBElement(root: body) else { return true }
        for path in paths where !path.isID {
            if path.visit(root, in: body, { _ in false }).metArray { return true }
        }
        return false
    }
}

/// The ranges of an index's keys that a filter allows.
struct IndexSearch: Sendable {
    let index: PathIndex
    /// The ranges of keys that are searched. A document is found if it has a key in one of them.
    let ranges: [ClosedRange<ComparableBytes>]
    /// Keys that are searched besides the ranges: the cells that are larger than those of a search for geometries.
    private(set) var keys: [[UInt8]] = []
    /// The score of the search: 2 for each of the index's first paths for which the filter lists values, and 1 if it
    /// bounds the values at the path after these.
    let score: Int
    /// The key that the documents found have; nil if several keys are searched, or if other values may have it too,
    /// since it is truncated.
    let exactKey: [UInt8]?

    /// The maximum number of ranges of a search.
    private static let maximumRangeCount = 100
    /// A byte that is greater than any byte at its position in a key.
    private static let above: UInt8 = 0xFF

    /// Returns the best search for a filter among the indexes of a collection; nil if only a scan is possible.
    static func best(_ bounds: FilterBounds, _ indexes: [PathIndex]) -> IndexSearch? {
        guard !bounds.paths.isEmpty else { return nil }
        return indexes.compactMap { $0.grid == nil ? IndexSearch(bounds, $0) : nil }.max { $0.score < $1.score }
    }

    /// A Boolean value that says whether the filter lists values of the index's first path.
    var listsValues: Bool { score > 1 }

    /// Creates a search for geometries, by ranges of keys, and by keys.
    init(_ index: PathIndex, ranges: [ClosedRange<ComparableBytes>], keys: [[UInt8]]) {
        (self.index, self.ranges, self.keys, score, exactKey) = (index, ranges, keys, 1, nil)
    }

    private init?(_ bounds: FilterBounds, _ index: PathIndex) {
        var prefixes: [[UInt8]] = [[]]
        var ranges: [ClosedRange<ComparableBytes>]?
        var score = 0
        for path in index.model.paths {
            let candidates = bounds.paths.filter {
                ExactText.areSame($0.path, path) && !(index.model.options.sparse && $0.includesNull)
            }
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
        let isExact = ranges == nil && prefixes.count == 1 && index.paths.count == 1
        exactKey = isExact && prefixes[0].count < OrderKey.maximumByteCount ? prefixes[0] : nil
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
        guard !keys.isEmpty else { return entries + ["SELECT document FROM \(table) WHERE key1 = x''"] }
        let places = keys.indices.map { "?\(parameter + 2 * ranges.count + $0 + 1)" }.joined(separator: ", ")
        return entries + ["SELECT document FROM \(table) WHERE key1 IN (x'', \(places))"]
    }

    /// The number of the statement's parameters.
    var parameterCount: Int { 2 * ranges.count + keys.count }

    /// A Boolean value that says whether a connection caches the statement.
    var isKept: Bool { ranges.count <= 1 && keys.isEmpty }

    /// Binds the parameters of `condition(after:)`; with `parameter` 0, those of `sqlForNumbers`.
    func bind(_ statement: borrowing PreparedStatement, after parameter: Int) {
        for (index, range) in ranges.enumerated() {
            statement.bind(range.lowerBound.bytes, at: CInt(parameter + 2 * index + 1))
            statement.bind(range.upperBound.bytes, at: CInt(parameter + 2 * index + 2))
        }
        for (index, key) in keys.enumerated() {
            statement.bind(key, at: CInt(parameter + 2 * ranges.count + index + 1))
        }
    }
}

extension FilterBounds.PathBounds {
    /// A Boolean value that says whether a document without a value, or with null, at the path may fulfil the filter.
    fileprivate var includesNull: Bool { includesMissing || intervals.contains { $0.lower.isNullish } }
}

/// Bytes that are compared lexicographically.
struct ComparableBytes: Comparable, Sendable {
    let bytes: [UInt8]

    static func < (left: ComparableBytes, right: ComparableBytes) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
