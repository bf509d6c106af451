internal import SealiteQueryLanguage

/// A search for documents by the elements of an array in them, derived from terms of WHERE: if the terms are true for a
/// document, at least one element fulfils every bound.
struct ElementSearch {
    /// The steps to the array. For a nested array, the first item has the steps to the outer array, the next one the
    /// steps within its elements, and so on.
    let levels: [[PathStep]]
    /// The bounds, each with the expression over an element whose values it bounds.
    var bounds: [(Tree.Expression, KeyBound)] = []
    /// The source of UNNEST whose rows are the elements; nil if a term such as ANY makes the search.
    var source: QuerySource?
    /// The index in `AccessTarget.terms` of the term that is equivalent to the bounds; nil if the bounds are weaker
    /// than the term.
    var wholeTerm: Int?
    /// A Boolean value that says whether only items of an array and values of an object count as elements, but not a
    /// value that an index contains as its own only element.
    var needsPlace = false
}

extension Translator {
    /// Returns the best access path to a source's documents through an index over elements, or the known path if none
    /// is better.
    mutating func elementAccess(
        _ indexes: [PlannedIndex], _ target: AccessTarget, betterThan known: AccessPath?
    ) throws -> AccessPath? {
        guard !indexes.isEmpty else { return known }
        assert(indexes.allSatisfy { $0.levels != nil }, "the indexes are over elements")
        var (best, bestScore) = (known, known?.score ?? 0)
        for search in searches(target) {
            for index in indexes where index.levels == search.levels {
                var path = try path(through: index, search.bounds, target)
                guard path.score > bestScore else { continue }
                bestScore = path.score
                path.elements = search.source
                if search.source == nil { Self.settle(&path, search) }
                best = path
            }
        }
        return best
    }

    /// Determines which term of WHERE needn't be tested on the document: a term that is equivalent to the bounds of the
    /// search, if the path has a condition for each of them. All other terms are tested.
    private static func settle(_ path: inout AccessPath, _ search: ElementSearch) {
        assert(search.source == nil && path.elements == nil, "a term makes the search, not UNNEST")
        if search.needsPlace { path.conditions.append("\(path.alias).position <> x''") }
        if let term = search.wholeTerm, path.exact[term] == true, path.boundCounts[term] == search.bounds.count {
            path.exact = [term: true]
        } else {
            path.exact = [:]
        }
    }

    /// Returns the paths and keys, in SQL++, of indexes over elements that would restrict the documents that are read
    /// for a target; without keys, the index is one over whole elements.
    func helpfulElements(_ target: AccessTarget) -> [(path: String, keys: [String])] {
        searches(target).compactMap { search in
            let helpful = search.bounds.filter {
                $0.1.relation != .present && $0.1.relation != .valued && !$0.0.hasVariables
                    && $0.0.isIndexable
            }
            let equal = helpful.filter { $0.1.relation.isEquality } + helpful.filter { !$0.1.relation.isEquality }
            let paths = search.levels.compactMap { Tree.Path(steps: $0) }
            guard let first = equal.first, paths.count == search.levels.count else { return nil }
            let path = ArrayPath(paths).description
            // An index over whole elements has no other keys, since the element has no name in expressions.
            if first.0 == .element, first.1.collation == nil { return (path, []) }
            let keys = equal.compactMap { expression, bound in
                expression.ofNamedElement.map { Self.text(of: $0, collation: bound.collation) }
            }
            return keys.isEmpty ? nil : (path, keys.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
        }
    }

    /// Returns the searches by elements of arrays that can be derived from the UNNEST clauses and the terms of a
    /// target.
    private func searches(_ target: AccessTarget) -> [ElementSearch] {
        // An outer join also has rows without a document, so that UNNEST restricts nothing.
        let unnested = target.isOuter ? [] : target.scope.sources.compactMap { search(unnesting: $0, target) }
        return (unnested + target.terms.enumerated().flatMap { searches($1, ElementPlace(), $0, target) })
            .filter { !$0.bounds.isEmpty }
    }

    // MARK: - UNNEST

    private func search(unnesting source: QuerySource, _ target: AccessTarget) -> ElementSearch? {
        var levels: [[PathStep]] = []
        var place = source
        while let (outer, steps) = place.container {
            levels.insert(steps, at: 0)
            place = outer
        }
        guard !levels.isEmpty, place === target.source else { return nil }
        var search = ElementSearch(levels: levels, source: source)
        for (number, term) in target.terms.enumerated() {
            search.bounds += bounds(of: term, number, target) { self.relative($0, source, target.scope) }
        }
        // LEFT UNNEST has a row in which the element is MISSING, for which an index has no entry.
        if source.isLeftUnnest { search.bounds.removeAll { !$1.excludesMissing(of: $0) } }
        return search
    }

    /// Returns the bounds on expressions over an element of an array that follow from a term, each with its expression.
    /// `number` is the term's index in `AccessTarget.terms`.
    private func bounds(
        of term: Tree.Expression, _ number: Int, _ target: AccessTarget, variables: [String] = [],
        _ relative: (Tree.Expression) -> Tree.Expression?
    ) -> [(Tree.Expression, KeyBound)] {
        Comparison.all(of: term).compactMap { comparison in
            guard let operand = relative(comparison.operand), operand.hasPath,
                comparison.values.allSatisfy({ isKnown($0, target, without: variables) })
            else { return nil }
            let bound = KeyBound(
                relation: comparison.relation, values: comparison.values, collation: comparison.collation, term: number)
            return (operand, bound)
        }
    }

    private func isKnown(_ value: Tree.Expression, _ target: AccessTarget, without variables: [String]) -> Bool {
        !variables.contains { value.mentions($0) } && isKnown(value, target)
    }

    // MARK: - Terms

    /// The position of a term of WHERE inside ANY conditions, which may be nested.
    private struct ElementPlace {
        /// The steps to the array of the innermost variable, one list for each level of nested arrays.
        var levels: [[PathStep]] = []
        /// The variables of the ANY conditions, outermost first.
        var variables: [String] = []
    }

    /// Returns the searches that can be derived from a term: from ANY, `value IN array` and `ARRAY_CONTAINS`, also
    /// inside the condition of ANY.
    private func searches(
        _ term: Tree.Expression, _ place: ElementPlace, _ number: Int, _ target: AccessTarget
    ) -> [ElementSearch] {
        assert(place.levels.count == place.variables.count, "each variable stands for elements of one array")
        switch term {
        case .quantified(let quantified) where quantified.quantifier == .any:
            guard let steps = steps(to: quantified.collection, place, target) else { return [] }
            let inner = ElementPlace(
                levels: place.levels + [steps], variables: place.variables + [quantified.variable])
            let conjuncts = quantified.condition.conjuncts
            let bounds = conjuncts.map { conjunct in
                self.bounds(of: conjunct, number, target, variables: inner.variables) {
                    $0.relative(toVariable: quantified.variable)
                }
            }
            var search = ElementSearch(levels: inner.levels, bounds: bounds.flatMap { $0 })
            if place.variables.isEmpty {
                let isWhole = zip(conjuncts, bounds).allSatisfy { $1.count == ($0.isBetween ? 2 : 1) }
                search.wholeTerm = isWhole ? number : nil
                search.needsPlace = quantified.sought != nil
            }
            return [search] + conjuncts.flatMap { searches($0, inner, number, target) }
        case .membership(let membership) where !membership.isNegated:
            guard case .elements(let container) = membership.candidates else { return [] }
            return search(membership.operand, in: container, place, number, target).map { search in
                var search = search
                search.wholeTerm = place.variables.isEmpty ? number : nil
                search.needsPlace = place.variables.isEmpty
                return search
            }
        case .call(let call) where call.name == "ARRAY_CONTAINS" && call.arguments.count == 2:
            return search(call.arguments[1], in: call.arguments[0], place, number, target)
        default: return []
        }
    }

    private func search(
        _ value: Tree.Expression, in container: Tree.Expression, _ place: ElementPlace, _ number: Int,
        _ target: AccessTarget
    ) -> [ElementSearch] {
        guard let steps = steps(to: container, place, target), isKnown(value, target, without: place.variables)
        else { return [] }
        let bound = KeyBound(relation: .equal, values: [value], collation: nil, term: number)
        return [ElementSearch(levels: place.levels + [steps], bounds: [(.element, bound)])]
    }

    /// Returns the steps to an array from the document, or from the element of the innermost variable; nil if no index
    /// can contain the array's elements.
    private func steps(
        to container: Tree.Expression, _ place: ElementPlace, _ target: AccessTarget
    ) -> [PathStep]? {
        let steps: [PathStep]
        if let variable = place.variables.last {
            guard case .path(let path) = container, path.root == variable else { return nil }
            steps = path.steps
        } else {
            guard case .path(let path)? = relative(container, target) else { return nil }
            steps = path.allSteps
        }
        guard case .name? = steps.first, steps.allSatisfy(\.isPlain) else { return nil }
        return steps
    }
}

// In an expression over an element, the first name of each path is empty, which distinguishes it from all other
// expressions.
extension Tree.Expression {
    /// The expression for a whole element of an array, as opposed to one of its members.
    static let element = Tree.Expression.element([])

    /// Returns the expression for the value to which steps lead from an element of an array.
    static func element(_ steps: [PathStep]) -> Tree.Expression { .path(Tree.Path("", steps)) }

    /// A Boolean value that says whether the expression, over an element of an array, depends on the element.
    var hasPath: Bool { has { if case .path = $0 { true } else { nil } } ?? false }

    /// The expression as one over an element of an array, in which each path leads from the element to one of its
    /// properties; nil if the expression can't be traversed.
    var ofElement: Tree.Expression? {
        try? rewritten { part in
            guard case .path(let path) = part else { return nil }
            return .element(path.allSteps)
        }
    }

    /// The expression in which paths name the element's properties, the reverse of `ofElement`; nil if the expression
    /// uses the whole element or an item of it, which have no name.
    var ofNamedElement: Tree.Expression? {
        struct Nameless: Error {}
        return try? rewritten { part in
            guard case .path(let path) = part else { return nil }
            guard let named = Tree.Path(steps: path.steps) else { throw Nameless() }
            return .path(named)
        }
    }

    /// Returns the expression as one over the element of an array for which a variable stands; nil if the expression
    /// depends on anything else.
    func relative(toVariable variable: String) -> Tree.Expression? {
        struct Foreign: Error {}
        return try? rewritten { part in
            switch part {
            case .path(let path) where path.root == variable: return .element(path.steps)
            case .path, .parameter, .meta: throw Foreign()
            default: return nil
            }
        }
    }
}

extension Tree.Path {
    /// All steps of the path: its first name, followed by the steps after it.
    var allSteps: [PathStep] {
        guard !steps.isEmpty else { return [.name(root)] }
        var all: [PathStep] = []
        all.reserveCapacity(steps.count + 1)
        all.append(.name(root))
        all.append(contentsOf: steps)
        return all
    }

    /// Creates a path from all its steps; nil if the first one isn't a name.
    init?(steps: [PathStep]) {
        guard case .name(let root)? = steps.first else { return nil }
        self.init(root, Array(steps.dropFirst()))
    }
}
