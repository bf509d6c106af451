internal import SealiteQueryLanguage

/// An access path: a way to find the documents of one source of a query through an index, by conditions on the index's
/// keys.
struct AccessPath {
    let index: PlannedIndex
    /// The alias of the index's table of keys in SQL.
    let alias: String
    /// The conditions on the index's keys, in SQL.
    var conditions: [String] = []
    /// The number of leading keys of the index that are bound to one value each.
    var equalCount = 0
    /// The terms of WHERE from which conditions on keys are derived, by their indices in `AccessTarget.terms`. The
    /// value is true if the conditions are equivalent to the term, which then needn't be tested on the document.
    var exact: [Int: Bool] = [:]
    /// The number of conditions on keys that are derived from each term of WHERE, by the terms' indices in
    /// `AccessTarget.terms`.
    var boundCounts: [Int: Int] = [:]
    /// The source of UNNEST whose rows are the entries of an index over elements; nil for an index over documents, or
    /// if the entries only serve to find documents.
    var elements: QuerySource?

    /// The index's table of keys with its alias, in SQL.
    var table: String { "\(index.table) AS \(alias)" }

    /// A subquery in SQL for the row numbers of the documents that have an entry in the index that fulfils the
    /// conditions, each once.
    var documents: String {
        assert(!conditions.isEmpty, "a path without conditions finds every document of the index")
        return "(SELECT DISTINCT \(alias).document FROM \(table) WHERE \(conditions.joined(separator: " AND ")))"
    }

    /// A measure of the selectivity of the path: 2 for each leading key that is bound to one value, and 1 if the next
    /// key has another bound.
    var score: Int {
        assert(equalCount <= conditions.count && equalCount <= index.keys.count, "a bound key has a condition")
        return equalCount * 2 + (conditions.count > equalCount ? 1 : 0)
    }
}

extension Translator {
    /// Returns the best access path to a source's documents, through any of the collection's indexes; nil if no index
    /// helps.
    mutating func access(_ target: AccessTarget) throws -> AccessPath? {
        let all = try indexes(ofCollection: target.collection)
        guard !all.isEmpty else { return nil }
        let best = try documentAccess(all.filter { $0.levels == nil }, target)
        return try elementAccess(all.filter { $0.levels != nil }, target, betterThan: best)
    }

    /// Returns the best access path through one of the given indexes over documents; nil if none helps.
    private mutating func documentAccess(_ indexes: [PlannedIndex], _ target: AccessTarget) throws -> AccessPath? {
        guard !indexes.isEmpty else { return nil }
        assert(indexes.allSatisfy { $0.levels == nil }, "the indexes are over documents")
        let bounds = target.terms.enumerated().flatMap { number, term in
            Comparison.all(of: term).compactMap { comparison -> (Tree.Expression, KeyBound)? in
                guard let operand = relative(comparison.operand, target),
                    comparison.values.allSatisfy({ isKnown($0, target) })
                else { return nil }
                let bound = KeyBound(
                    relation: comparison.relation, values: comparison.values, collation: comparison.collation,
                    term: number)
                return (operand, bound)
            }
        }
        // Only the conditions of partial indexes are compared with complete terms.
        let isPartial = indexes.contains { $0.condition != nil }
        let conditions = isPartial ? target.terms.compactMap { relative($0, target) } : []
        var best: AccessPath?
        for index in indexes {
            guard Self.implies(conditions, bounds, index.condition) else { continue }
            let path = try self.path(through: index, bounds, target)
            let isUseful = path.score > 0 || (index.condition != nil && conditions.contains { $0 == index.condition })
            if isUseful, path.score > best?.score ?? -1 { best = path }
        }
        return best
    }

    /// Returns the keys, in SQL++, of an index over documents that would restrict the documents that are read for a
    /// target; empty if no index would.
    func helpfulKeys(_ target: AccessTarget) -> [String] {
        var keys: [String] = []
        for term in target.terms {
            for comparison in Comparison.all(of: term)
            where comparison.relation != .present && comparison.relation != .valued {
                guard let operand = relative(comparison.operand, target), !operand.isConstant, !operand.hasVariables,
                    operand.isIndexable, comparison.values.allSatisfy({ isKnown($0, target) })
                else { continue }
                let text = Self.text(of: operand, collation: comparison.collation)
                // An equality selects fewer documents than a range, so it comes first.
                if comparison.relation.isEquality { keys.insert(text, at: 0) } else { keys.append(text) }
            }
        }
        return keys.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns an expression with a collation as SQL++ text, in the form in which the definitions of indexes have it.
    static func text(of operand: Tree.Expression, collation: String?) -> String {
        collation.map { "\(operand) COLLATE \(words(ofCollation: $0))" } ?? "\(operand)"
    }

    /// Returns a collation's name in SQL++: `(UNICODE:sv NOCASE)` for `unicode-nocase:sv`.
    private static func words(ofCollation name: String) -> String {
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        var words = parts[0].split(separator: "-").map { $0.uppercased() }
        if parts.count == 2 { words[0] += ":\(parts[1])" }
        return words.count == 1 ? words[0] : "(\(words.joined(separator: " ")))"
    }

    /// Returns whether the condition of a partial index follows from terms and bounds that are known to be true; true
    /// without a condition.
    private static func implies(
        _ terms: [Tree.Expression], _ bounds: [(Tree.Expression, KeyBound)], _ condition: Tree.Expression?
    ) -> Bool {
        guard let condition else { return true }
        return condition.conjuncts.allSatisfy { part in
            if terms.contains(part) { return true }
            // If a comparison other than IS is true, its operand isn't MISSING; for most comparisons it isn't NULL
            // either.
            guard let needed = Comparison.all(of: part).first, needed.relation == .present || needed.relation == .valued
            else { return false }
            return bounds.contains { operand, bound in
                guard operand == needed.operand else { return false }
                switch bound.relation {
                case .missing, .identical: return false
                case .present: return needed.relation == .present
                case .equal, .oneOf: return needed.relation == .present || bound.values.allSatisfy(\.isValuedLiteral)
                default: return true
                }
            }
        }
    }

    // MARK: - Conditions on keys

    mutating func path(
        through index: PlannedIndex, _ bounds: [(Tree.Expression, KeyBound)], _ target: AccessTarget
    ) throws -> AccessPath {
        var path = AccessPath(index: index, alias: nextAlias())
        for (position, key) in index.keys.enumerated() {
            let column = "\(path.alias).key\(position + 1)"
            let matching = bounds.filter { $0.0 == key.expression && $0.1.collation == key.collation }.map(\.1)
            let single = matching.first { $0.relation.isEquality || $0.relation == .missing }
            if let single {
                try add(single, column, key, target, to: &path)
                path.equalCount += 1
                continue
            }
            if let list = matching.first(where: { $0.relation == .oneOf }) {
                try add(list, column, key, target, to: &path)
                break
            }
            for bound in matching { try add(bound, column, key, target, to: &path) }
            break
        }
        assert(path.boundCounts.values.reduce(0, +) == path.conditions.count, "each condition follows from a term")
        for (number, term) in target.terms.enumerated() where term.isBetween && (path.boundCounts[number] ?? 0) < 2 {
            // The term is equivalent to both bounds together, not to one of them.
            if path.exact[number] != nil { path.exact[number] = false }
        }
        if let condition = index.condition {
            // The index contains only documents that fulfil its condition, so that an equal term needn't be tested.
            for (number, term) in target.terms.enumerated() where relative(term, target) == condition {
                path.exact[number] = true
            }
        }
        return path
    }

    /// Adds to an access path the SQL condition that a bound sets on a key of the index. If truncated keys may be equal
    /// for different values, the bound's term is marked to be tested on the document.
    private mutating func add(
        _ bound: KeyBound, _ column: String, _ key: PlannedIndex.Key, _ target: AccessTarget, to path: inout AccessPath
    ) throws {
        assert(target.terms.indices.contains(bound.term), "a bound follows from a term")
        assert(bound.relation == .oneOf || bound.values.count == (bound.relation.hasValue ? 1 : 0))
        assert(bound.relation != .oneOf || !bound.values.isEmpty)
        let collation = key.collation.map { ", \(SQLText.string($0))" } ?? ""
        var keys: [String] = []
        for value in bound.values { keys.append("query_key(\(try self.value(value, target.scope))\(collation))") }
        let first = keys.first ?? "x'10'"
        let isExact = collation.isEmpty && bound.relation != .prefix && bound.values.allSatisfy(\.isShortLiteral)
        var condition: String
        switch bound.relation {
        case .equal, .identical: condition = "\(column) = \(first)"
        case .oneOf: condition = "\(column) IN (\(keys.joined(separator: ", ")))"
        case .missing: condition = "\(column) = x'10'"
        case .present: condition = "\(column) > x'10'"
        case .valued: condition = "\(column) > x'20'"
        case .less: condition = "\(column) > x'20' AND \(column) \(isExact ? "<" : "<=") \(first)"
        case .lessOrEqual: condition = "\(column) > x'20' AND \(column) <= \(first)"
        case .greater: condition = "\(column) \(isExact ? ">" : ">=") \(first)"
        case .greaterOrEqual: condition = "\(column) >= \(first)"
        case .prefix:
            condition = "\(column) >= \(first)"
            if let end = bound.values.first?.prefixEnd {
                condition += " AND \(column) < query_key(\(SQLText.string(end))\(collation))"
            }
        }
        path.conditions.append(condition)
        path.boundCounts[bound.term, default: 0] += 1
        if isExact || bound.values.isEmpty {
            path.exact[bound.term] = path.exact[bound.term] ?? true
        } else {
            // The term is also tested on the document.
            path.exact[bound.term] = false
        }
    }
}

extension Tree.Expression {
    /// A Boolean value that says whether the expression is `a BETWEEN b AND c` or `a NOT BETWEEN b AND c`, optionally
    /// with a collation.
    var isBetween: Bool { if case .between = withoutCollation.0 { true } else { false } }

    /// A Boolean value that says whether the expression is a string, number or Boolean literal whose key in an index is
    /// short enough not to be truncated.
    fileprivate var isShortLiteral: Bool {
        guard case .literal(let literal) = self else { return false }
        switch literal {
        case .string(let text): return text.utf8.count < 400
        case .number(let text): return text.utf8.count < 400
        case .boolean: return true
        case .null, .missing, .unusable: return false
        }
    }

    /// A Boolean value that says whether an index with the expression as its key isn't suggested: a literal, a
    /// parameter or a key of `META()`.
    fileprivate var isConstant: Bool {
        switch self {
        case .literal, .parameter: true
        case .property(.meta, _): true
        default: false
        }
    }

    /// A Boolean value that says whether the expression is a literal other than NULL and MISSING.
    fileprivate var isValuedLiteral: Bool {
        guard case .literal(let literal) = self else { return false }
        return literal != .null && literal != .missing
    }
}

/// A source of a query for which an access path through an index is sought, with the terms from which conditions on the
/// index's keys can be derived.
struct AccessTarget {
    let source: QuerySource
    let collection: Int
    /// The terms of WHERE or ON that must be true for a document of the source to take part in the result.
    let terms: [Tree.Expression]
    let scope: NameScope
    /// The sources whose values are known before the source's documents are searched.
    let known: [QuerySource]
    /// A Boolean value that says whether the source is the right side of an outer join: without a matching document, a
    /// row takes part with MISSING.
    var isOuter = false
}

/// A condition on a key of an index that follows from a term of WHERE.
struct KeyBound {
    /// The relation between a key of an index and the values that bound it.
    enum Relation: Equatable {
        /// The key equals the value, and neither is MISSING.
        case equal
        /// The key equals the value, or both are MISSING.
        case identical
        case less, lessOrEqual, greater, greaterOrEqual
        /// The key is a text that starts with the value.
        case prefix
        /// The key is one of several values.
        case oneOf
        /// The key is neither NULL nor MISSING.
        case valued
        /// The key isn't MISSING.
        case present
        /// The key is MISSING.
        case missing

        /// A Boolean value that says whether the relation holds only for a key that equals one value.
        var isEquality: Bool { self == .equal || self == .identical }
        /// A Boolean value that says whether the relation is one to one value or several.
        var hasValue: Bool { self != .valued && self != .present && self != .missing }
    }

    let relation: Relation
    /// The values that the key is compared with, which don't depend on the document; empty for relations without
    /// values.
    let values: [Tree.Expression]
    let collation: String?
    /// The index in `AccessTarget.terms` of the term from which the bound follows.
    let term: Int

    /// Returns whether the bound, on the values of an expression over an element, is known to be false if the element is
    /// MISSING.
    func excludesMissing(of expression: Tree.Expression) -> Bool {
        guard case .path = expression else { return false }
        return relation != .missing && relation != .identical
    }
}
