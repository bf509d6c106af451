internal import SealiteQueryLanguage

extension Translator {
    /// Chooses an access path through an index for each source of documents for which one exists.
    mutating func planAccess(_ terms: inout [FromTerm], _ filter: [Tree.Expression], _ scope: NameScope) throws {
        for index in terms.indices {
            let term = terms[index]
            guard case .documents(let collection) = term.source.kind, !term.source.hasDeleted else { continue }
            plan.sources[term.source.sql] = term.source.name
            plan.reads[term.source.sql] = .documents(collection: collection)
            guard term.source.textAccess == nil, term.source.vectorSearch?.access == nil else { continue }
            let joined = term.condition.map(\.term)
            let target = AccessTarget(
                source: term.source, collection: collection, terms: term.kind == .left ? joined : filter + joined,
                scope: scope, known: terms[..<index].map(\.source), isOuter: term.kind == .left)
            assert(term.access == nil, "an access path is chosen once")
            terms[index].access = try access(target) ?? geometryAccess(target)
            if let access = terms[index].access {
                use(access)
            } else if let name = collectionNames[collection], try !isFoundByWords(target) {
                let keys = helpfulKeys(target)
                let elements = helpfulElements(target).map { (path: Optional($0.path), keys: $0.keys) }
                for (path, keys) in (keys.isEmpty ? [] : [(path: nil, keys: keys)]) + elements {
                    plan.suggestions.append(
                        IndexSuggestion(
                            scopeName: name.scope, collectionName: name.name, path: path, expressions: keys))
                }
            }
        }
    }

    /// Records that the plan uses the index of an access path.
    mutating func use(_ path: AccessPath) {
        assert(plan.indexes[path.alias].map { $0.number == path.index.number } ?? true, "an alias stands for one table")
        plan.indexes[path.alias] = path.index
        plan.reads[path.alias] = .index(path.index, equalCount: path.equalCount)
    }

    /// Omits the table of documents from a FROM term, and empties the conditions, if the index of its access path has
    /// everything that the query needs. `conditions` are the SQL terms of WHERE, and `rest` is the other SQL of the
    /// query.
    static func useKeysOnly(_ term: inout FromTerm, _ conditions: inout [String], _ rest: String) {
        guard let access = term.access, !rest.contains(term.source.prefix),
            conditions.indices.allSatisfy({ access.exact[$0] == true })
        else { return }
        assert(term.kind == .first, "the documents of a join are read")
        term.isKeysOnly = true
        for index in conditions.indices { conditions[index] = "" }
    }

    /// For a query with UNNEST that needs only the entries of an index over elements, replaces the table of documents
    /// and the rows of UNNEST by these entries. `conditions` are the SQL terms of WHERE, and `rest` is the other SQL of
    /// the query.
    mutating func useElementsOnly(_ terms: inout [FromTerm], _ conditions: inout [String], _ rest: String) throws {
        guard var first = terms.first, let last = terms.last?.source, terms.count > 1,
            case .documents(let collection) = first.source.kind, !first.source.hasDeleted,
            !terms.contains(where: { rest.contains($0.source.prefix) })
        else { return }
        var levels: [[PathStep]] = []
        for (outer, inner) in zip(terms, terms.dropFirst()) {
            guard let container = inner.source.container, container.source === outer.source else { return }
            levels.append(container.steps)
        }
        if let access = first.access {
            guard access.elements === last, conditions.indices.allSatisfy({ access.exact[$0] == true }) else { return }
        } else {
            let indexes = try indexes(ofCollection: collection)
            guard conditions.isEmpty, !terms.contains(where: \.source.isLeftUnnest),
                let index = indexes.first(where: { $0.levels == levels })
            else { return }
            let path = AccessPath(index: index, alias: nextAlias())
            use(path)
            first.access = path
        }
        first.isKeysOnly = true
        terms = [first]
        conditions = []
    }

    /// Returns the SQL terms of ORDER BY as columns of an index, and makes `term` use the index; nil if no index has
    /// this order.
    mutating func indexOrder(
        _ order: [Tree.OrderTerm], _ term: inout FromTerm, _ filter: [Tree.Expression], _ scope: NameScope
    ) throws -> String? {
        guard case .documents(let collection) = term.source.kind, !term.source.hasDeleted,
            order.allSatisfy({ $0.nulls == nil && ($0.direction == .descending) == (order[0].direction == .descending) }
            )
        else { return nil }
        let target = AccessTarget(
            source: term.source, collection: collection, terms: filter, scope: scope, known: [])
        var keys: [PlannedIndex.Key] = []
        for one in order {
            let (expression, collation) = one.expression.withoutCollation
            guard let relative = relative(expression, target) else { return nil }
            keys.append(PlannedIndex.Key(relative, collation: collation))
        }
        let path: AccessPath
        if let access = term.access {
            path = access
        } else {
            guard
                let index = try indexes(ofCollection: collection).first(where: {
                    $0.condition == nil && $0.keys.starts(with: keys)
                })
            else { return nil }
            path = AccessPath(index: index, alias: nextAlias())
        }
        guard path.index.keys.dropFirst(path.equalCount).starts(with: keys) else { return nil }
        term.access = path
        use(path)
        let direction = order[0].direction == .descending ? " DESC" : ""
        var parts: [String] = []
        for position in keys.indices {
            let column = "\(path.alias).key\(path.equalCount + position + 1)"
            parts.append(column + direction)
            // Truncated keys can be equal although their values differ.
            let exact = try sortKey(order[position].expression, scope)
            parts.append("CASE WHEN length(\(column)) >= 960 THEN \(exact) END\(direction)")
        }
        return parts.joined(separator: ", ")
    }
}

extension Tree.Expression {
    /// The expression without its collation, and the name of the collation; nil if it has none, or one that compares
    /// bytes.
    var withoutCollation: (Tree.Expression, String?) {
        if case .collate(let inner, let given) = self { return (inner, given.name) }
        return (self, nil)
    }
}

// Expressions over one source.
extension Translator {
    /// Returns an expression over a target's document in the form that the definitions of indexes have, without the
    /// source's alias; nil if it depends on anything else.
    func relative(_ expression: Tree.Expression, _ target: AccessTarget) -> Tree.Expression? {
        relative(expression, target.source, target.scope)
    }

    func relative(_ expression: Tree.Expression, _ source: QuerySource, _ scope: NameScope) -> Tree.Expression? {
        struct Foreign: Error {}
        // In this form, variables have numbers instead of names, so that the name of a property can't be mistaken for a
        // variable.
        return try? expression.withNumberedVariables?.rewritten { part in
            switch part {
            case .parameter: throw Foreign()
            case .path(let path):
                guard path.root.utf8.first != 0 else { throw Foreign() }
                switch try self.reference(path, scope) {
                case .source(let found, let steps) where found === source && source.kind.isElements:
                    return .element(Array(steps))
                case .source(let found, let steps) where found === source:
                    guard case .name(let root)? = steps.first else { throw Foreign() }
                    return Tree.Expression.path(Tree.Path(root, Array(steps.dropFirst()))).canonical
                case .definition(let definition, let steps):
                    guard steps.isEmpty, let inner = relative(definition.expression, source, definition.scope)
                    else {
                        throw Foreign()
                    }
                    return inner
                default: throw Foreign()
                }
            case .property(.meta(let names, let position), _):
                guard try self.source(names, scope, at: position) === source, !source.kind.isElements,
                    case .property(_, let steps) = part
                else {
                    throw Foreign()
                }
                return Tree.Expression.property(.meta([], .none), steps).canonical
            default: return nil
            }
        }
    }

    /// Returns whether an expression's value is known before the documents of a target's source are searched.
    func isKnown(_ expression: Tree.Expression, _ target: AccessTarget, in scope: NameScope? = nil) -> Bool {
        let scope = scope ?? target.scope
        func isUnknown(_ source: QuerySource) -> Bool {
            target.scope.sources.contains { $0 === source } && !target.known.contains { $0 === source }
        }
        let hasUnknown = expression.has { part in
            switch part {
            case .path(let path):
                switch try self.reference(path, scope) {
                case .source(let source, _): return isUnknown(source)
                case .definition(let definition, _):
                    return !self.isKnown(definition.expression, target, in: definition.scope)
                case .sql: return false
                }
            case .property(.meta(let names, let position), _):
                return isUnknown(try self.source(names, scope, at: position))
            default: return nil
            }
        }
        return hasUnknown == false
    }
}
