internal import SealiteValues

/// The bounds that a filter sets on the values at paths, for a search in an index, which has one entry for each value
/// at its path.
///
/// A document that fulfils the filter has, for each of the bounds, a value within it; the bounds are independent of
/// each other. Two bounds on one path may only be combined if no document has an array on the path: `{"a": {"$gt": 1,
/// "$lt": 5}}` finds `[0, 9]`. Documents that a search finds must still be tested with the filter.
struct FilterBounds: Sendable {
    /// A bound on the values at one path.
    struct PathBounds: Sendable {
        /// The path at which the values are bounded.
        let path: String
        /// The intervals; a document that fulfils the filter has a value in one of them.
        let intervals: [Interval]
        /// A Boolean value that says whether a document without a value at the path may also fulfil the filter.
        let includesMissing: Bool
    }

    /// An interval in the order that compares BSON values of all types.
    struct Interval: Sendable, Equatable {
        /// The lower bound.
        let lower: BSON
        /// The upper bound.
        let upper: BSON
        /// A Boolean value that says whether `lower` itself is in the interval.
        var includesLower = true
        /// A Boolean value that says whether `upper` itself is in the interval.
        var includesUpper = true

        /// A Boolean value that says whether the interval contains one value only.
        var isPoint: Bool { includesLower && includesUpper && lower.isSame(as: upper) }
    }

    /// The bounds by path: equalities first, those with the fewest values before the others.
    let paths: [PathBounds]

    /// Creates the bounds of a filter; empty if the filter doesn't bound any path.
    init(_ filter: Filter) {
        paths = Self.collect(filter.tree, at: nil).enumerated().sorted { left, right in
            let (leftRank, rightRank) = (Self.rank(left.element), Self.rank(right.element))
            return leftRank == rightRank ? left.offset < right.offset : leftRank < rightRank
        }.map(\.element)
    }

    private static func rank(_ bounds: PathBounds) -> Int {
        bounds.intervals.allSatisfy(\.isPoint) ? bounds.intervals.count : Int.max
    }

    /// Returns the bounds that the conditions of a tree set. `prefix` is nil for conditions on a document, and the path
    /// of an array for conditions on its items.
    private static func collect(_ tree: FilterTree, at prefix: String?) -> [PathBounds] {
        switch tree {
        case .all(let trees): return trees.flatMap { collect($0, at: prefix) }
        case .condition(let condition):
            // `$elemMatch` reads an item that is an array as an object with its indices as names. No index has a path
            // that begins with such a name.
            guard prefix == nil || condition.path.indexes.first ?? nil == nil else { return [] }
            let text = [prefix, condition.path.text].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ".")
            if case .elements(let element) = condition.test {
                // An index has the items of an array, but not the items of an array that is itself an item, be it one
                // of all the items or the item at the index in which the path ends.
                guard prefix == nil || condition.path.count > 0, condition.path.indexes.last ?? nil == nil else {
                    return []
                }
                return collect(element.tree, at: text)
            }
            guard let bounds = bounds(condition.test) else { return [] }
            // An item that is an array or a scalar lacks every member, which index entries don't record.
            guard prefix == nil || condition.path.count == 0 || !bounds.missing else { return [] }
            return [PathBounds(path: text, intervals: bounds.intervals, includesMissing: bounds.missing)]
        case .any, .not, .document, .text, .constant: return []
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
            let same = BSON.regex(pattern.regex)
            return ([strings(beginningWith: prefix), Interval(lower: same, upper: same)], false)
        case .types, .modulus, .bits, .size, .elements, .shape: return nil
        }
    }

    /// Returns the interval of the strings that begin with a prefix. It ends before the prefix with the next higher
    /// last character; if the last characters are U+10FFFF, the highest one, before the prefix without them changed so.
    private static func strings(beginningWith prefix: String) -> Interval {
        var upper = prefix.unicodeScalars
        while let last = upper.popLast() {
            // The numbers from 0xD800 to 0xDFFF aren't characters.
            guard let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) else { continue }
            upper.append(next)
            return Interval(lower: .string(prefix), upper: .string(String(upper)), includesUpper: false)
        }
        return Interval(lower: .string(prefix), upper: .document([:]), includesUpper: false)
    }

    /// Returns the interval of values to search for a bound: those of its type on its side; the value alone for null or
    /// NaN; values of all types for MinKey and MaxKey. Nil for types for which an index search isn't worthwhile.
    private static func interval(_ bound: RangeBound) -> Interval? {
        let value = bound.value
        if value.isNullish || value.isNotANumber { return Interval(lower: value, upper: value) }
        guard let bracket = Bracket(value) else { return nil }
        return bound.side == .above
            ? Interval(
                lower: value, upper: bracket.upper, includesLower: bound.isInclusive, includesUpper: bracket.isClosed)
            : Interval(lower: bracket.lower, upper: value, includesUpper: bound.isInclusive)
    }

    /// The range of all values of a type: its least value, and as `upper` its greatest value or the least value of the
    /// next type.
    private struct Bracket {
        let lower: BSON
        let upper: BSON
        /// A Boolean value that says whether `upper` belongs to the type.
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
            // Whole arrays and rare types aren't worth an index search.
            default: return nil
            }
        }
    }
}

extension FilterPattern {
    /// The literal prefix of every string that the pattern matches; nil if the pattern doesn't determine one.
    var literalPrefix: String? {
        // Patterns are made of scalars: a combining mark doesn't change the meaning of the scalar before it.
        let pattern = regex.pattern.unicodeScalars
        guard regex.options.isEmpty, pattern.first == "^", !pattern.contains(where: { $0 == "|" }) else { return nil }
        let special = Set("\\^$.[]|()?*+{}".unicodeScalars)
        var prefix = pattern.dropFirst().prefix { !special.contains($0) }
        // A quantifier makes the last scalar optional.
        if let next = pattern[prefix.endIndex...].first, next == "?" || next == "*" || next == "{" {
            prefix = prefix.dropLast()
        }
        return prefix.isEmpty ? nil : String(prefix)
    }
}
