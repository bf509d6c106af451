internal import SealiteValues

/// The bounds that a filter puts on the values at paths, for a search in an index (MongoDB's multikey indexes have one entry for each value that a path leads to).
///
/// A document that fulfils the filter has, for each of the bounds, a value within it; each stands by itself. Two bounds on one path must be put together only
/// where no document has an array on the path: `{"a": {"$gt": 1, "$lt": 5}}` finds `[0, 9]`. The filter is still to be tested on what a search finds.
struct FilterBounds: Sendable {
    /// A bound on the values at one path.
    struct PathBounds: Sendable {
        /// The path.
        let path: String
        /// The intervals, of which the value is in one.
        let intervals: [Interval]
        /// True if a document without a value at the path may fulfil the filter, too.
        let includesMissing: Bool
    }

    /// Values from one to another in the order of values.
    struct Interval: Sendable, Equatable {
        /// The least value.
        let lower: BSON
        /// The greatest value.
        let upper: BSON
        /// True if the least value is in the interval.
        var includesLower = true
        /// True if the greatest value is in the interval.
        var includesUpper = true

        /// True for an interval of one value.
        var isPoint: Bool { includesLower && includesUpper && lower.isSame(as: upper) }
    }

    /// The bounds, those of equal values in front.
    let paths: [PathBounds]

    /// The bounds of a filter; none if it says nothing about any path.
    init(_ filter: Filter) {
        paths = Self.collect(filter.tree, at: nil).enumerated().sorted { left, right in
            let (leftRank, rightRank) = (Self.rank(left.element), Self.rank(right.element))
            return leftRank == rightRank ? left.offset < right.offset : leftRank < rightRank
        }.map(\.element)
    }

    private static func rank(_ bounds: PathBounds) -> Int {
        bounds.intervals.allSatisfy(\.isPoint) ? bounds.intervals.count : Int.max
    }

    /// Returns the bounds of conditions on a document or, with the path of its array, on an item.
    private static func collect(_ tree: FilterTree, at prefix: String?) -> [PathBounds] {
        switch tree {
        case .all(let trees): return trees.flatMap { collect($0, at: prefix) }
        case .condition(let condition):
            // An item that is an array is read as an object whose names are its places: no path of an index leads there.
            guard prefix == nil || condition.path.indexes.first ?? nil == nil else { return [] }
            let text = [prefix, condition.path.text].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ".")
            if case .elements(let element) = condition.test { return collect(element.tree, at: text) }
            guard let bounds = bounds(condition.test) else { return [] }
            // An item that is an array or a scalar lacks every member, which no entry says.
            guard prefix == nil || condition.path.count == 0 || !bounds.missing else { return [] }
            return [PathBounds(path: text, intervals: bounds.intervals, includesMissing: bounds.missing)]
        case .any, .not, .document, .constant: return []
        }
    }

    private static func bounds(_ test: LeafTest) -> (intervals: [Interval], missing: Bool)? {
        switch test {
        case .equal(let value): return ([Interval(lower: value, upper: value)], value.isNullish)
        case .among(let list):
            guard list.patterns.isEmpty else { return nil }
            let values = list.values + (list.hasNull ? [.null] : [])
            return (values.map { Interval(lower: $0, upper: $0) }, list.hasNull)
        case .range(let bound): return interval(bound).map { ([$0], bound.holdsForMissing) }
        case .exists: return ([Interval(lower: .minKey, upper: .maxKey)], false)
        case .pattern(let pattern):
            guard let prefix = pattern.literalPrefix else { return nil }
            let strings = Interval(lower: .string(prefix), upper: .string(prefix + "\u{10FFFF}"))
            let same = BSON.regex(pattern.regex)
            return ([strings, Interval(lower: same, upper: same)], false)
        case .types, .modulus, .bits, .size, .elements: return nil
        }
    }

    /// The values of the bound's own type on its side.
    private static func interval(_ bound: RangeBound) -> Interval? {
        let value = bound.value
        if value.isNullish || value.isNotANumber { return Interval(lower: value, upper: value) }
        guard let bracket = Bracket(value) else { return nil }
        return bound.side == .above
            ? Interval(
                lower: value, upper: bracket.upper, includesLower: bound.isInclusive, includesUpper: bracket.isClosed)
            : Interval(lower: bracket.lower, upper: value, includesUpper: bound.isInclusive)
    }

    /// The least value of a type, and one at its end or behind it.
    private struct Bracket {
        let lower: BSON
        let upper: BSON
        /// True if the upper value is of the type.
        var isClosed = false

        init?(_ value: BSON) {
            switch value {
            case .int32, .int64, .double, .decimal128:
                (lower, upper, isClosed) = (.double(-.infinity), .double(.infinity), true)
            case .string: (lower, upper) = (.string(""), .document([:]))
            case .document: (lower, upper) = (.document([:]), .array([]))
            case .bool: (lower, upper, isClosed) = (.bool(false), .bool(true), true)
            case .datetime:
                (lower, upper) = (.datetime(DateTime(milliseconds: .min)), .datetime(DateTime(milliseconds: .max)))
                isClosed = true
            case .minKey, .maxKey: (lower, upper, isClosed) = (.minKey, .maxKey, true)
            // Whole arrays and rare types aren't worth a search.
            default: return nil
            }
        }
    }
}

extension FilterPattern {
    /// The text with which every string begins that the pattern is found in; nil if the pattern doesn't say.
    var literalPrefix: String? {
        guard regex.options.isEmpty, regex.pattern.hasPrefix("^"), !regex.pattern.contains("|") else { return nil }
        let special = "\\^$.[]|()?*+{}"
        var prefix = String(regex.pattern.dropFirst().prefix { !special.contains($0) })
        // A number of times makes the last character one that may be missing.
        if let next = regex.pattern.dropFirst(1 + prefix.count).first, "?*{".contains(next) {
            prefix = String(prefix.dropLast())
        }
        return prefix.isEmpty ? nil : prefix
    }
}
