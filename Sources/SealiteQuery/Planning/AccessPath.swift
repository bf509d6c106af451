internal import SealiteQueryLanguage

/// A way to the documents of one source through an index, with conditions on the keys of the index's table.
struct AccessPath {
    let index: PlannedIndex
    /// The alias of the index's table in SQL.
    let alias: String
    /// The conditions on the keys, in SQL.
    var conditions: [String] = []
    /// The number of leading keys that are bound to one value.
    var equalCount = 0
    /// The terms of WHERE from which the conditions on keys are derived, with true for terms that needn't be checked
    /// again in the document.
    var exact: [Int: Bool] = [:]
    /// The number of conditions that are derived from each term.
    var boundCounts: [Int: Int] = [:]
    /// The source of UNNEST whose rows are the entries; nil if the entries are documents, or don't make rows.
    var elements: QuerySource?

    /// The table of the index.
    var table: String { "\(index.table) AS \(alias)" }

    /// A table of the documents with an entry, each once.
    var documents: String {
        "(SELECT DISTINCT \(alias).document FROM \(table) WHERE \(conditions.joined(separator: " AND ")))"
    }

    /// A measure of the selectivity of the path: the number of leading keys with one value, and whether the next key
    /// has a bound.
    var score: Int { equalCount * 2 + (conditions.count > equalCount ? 1 : 0) }
}

extension Translator {
    /// Returns the best access path to a source's documents; nil if no index helps.
    mutating func access(_ target: AccessTarget) throws -> AccessPath? {
        let all = try indexes(ofCollection: target.collection)
        guard !all.isEmpty else { return nil }
        let best = try documentAccess(all.filter { $0.levels == nil }, target)
        return try elementAccess(all.filter { $0.levels != nil }, target, betterThan: best)
    }

    /// Returns the best access path through an index over documents.
    private mutating func documentAccess(_ indexes: [PlannedIndex], _ target: AccessTarget) throws -> AccessPath? {
        guard !indexes.isEmpty else { return nil }
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
        // Only partial indexes need complete terms.
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

    /// Returns the expressions whose index would restrict the documents that are read for a target.
    func helpfulKeys(_ target: AccessTarget) -> [String] {
        var keys: [String] = []
        for term in target.terms {
            for comparison in Comparison.all(of: term)
            where comparison.relation != .present && comparison.relation != .valued {
                guard let operand = relative(comparison.operand, target), !operand.isConstant, !operand.hasVariables,
                    comparison.values.allSatisfy({ isKnown($0, target) })
                else { continue }
                let text = Self.text(of: operand, collation: comparison.collation)
                // An equality selects fewer documents than a range, so it comes first.
                if comparison.relation == .equal { keys.insert(text, at: 0) } else { keys.append(text) }
            }
        }
        return keys.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns the text of an expression with a collation, in the form of an index's definition.
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

    /// Returns whether the condition of a partial index follows from terms that are true.
    private static func implies(
        _ terms: [Tree.Expression], _ bounds: [(Tree.Expression, KeyBound)], _ condition: Tree.Expression?
    ) -> Bool {
        guard let condition else { return true }
        return condition.conjuncts.allSatisfy { part in
            if terms.contains(part) { return true }
            // A comparison that is true has an operand that isn't MISSING; for most comparisons it isn't NULL either.
            guard let needed = Comparison.all(of: part).first, needed.relation == .present || needed.relation == .valued
            else { return false }
            return bounds.contains { operand, bound in
                guard operand == needed.operand else { return false }
                switch bound.relation {
                case .missing: return false
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
            let single = matching.first { $0.relation == .equal || $0.relation == .missing }
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
        for (number, term) in target.terms.enumerated() where term.isBetween && (path.boundCounts[number] ?? 0) < 2 {
            // Each of the two bounds alone is weaker than the term.
            if path.exact[number] != nil { path.exact[number] = false }
        }
        if let condition = index.condition {
            // The document of each entry fulfils the condition.
            for (number, term) in target.terms.enumerated() where relative(term, target) == condition {
                path.exact[number] = true
            }
        }
        return path
    }

    /// Adds the condition of a bound on a key, and the check of the bound's term that is needed if truncated keys may
    /// be equal.
    private mutating func add(
        _ bound: KeyBound, _ column: String, _ key: PlannedIndex.Key, _ target: AccessTarget, to path: inout AccessPath
    ) throws {
        let collation = key.collation.map { ", \(SQLText.string($0))" } ?? ""
        var keys: [String] = []
        for value in bound.values { keys.append("query_key(\(try self.value(value, target.scope))\(collation))") }
        let first = keys.first ?? "x'10'"
        let isExact = collation.isEmpty && bound.relation != .prefix && bound.values.allSatisfy(\.isShortLiteral)
        var condition: String
        switch bound.relation {
        case .equal: condition = "\(column) = \(first)"
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
            // Any other bound is checked again in the document.
            path.exact[bound.term] = false
        }
    }
}

extension Tree.Expression {
    /// A Boolean value that says whether the expression is `a BETWEEN b AND c`, optionally with a collation.
    var isBetween: Bool { if case .between = withoutCollation.0 { true } else { false } }

    /// A Boolean value that says whether the expression is a literal whose key is short enough not to be truncated.
    fileprivate var isShortLiteral: Bool {
        guard case .literal(let literal) = self else { return false }
        switch literal {
        case .string(let text): return text.utf8.count < 400
        case .number(let text): return text.utf8.count < 400
        case .boolean: return true
        case .null, .missing, .unusable: return false
        }
    }

    /// A Boolean value that says whether the expression doesn't depend on a document.
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
