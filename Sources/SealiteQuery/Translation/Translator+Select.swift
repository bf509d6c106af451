internal import SealiteQueryLanguage

extension Translator {
    /// Translates one SELECT, which may be the whole query or an operand of a set operation.
    mutating func select(
        _ select: Tree.Select, order: [Tree.OrderTerm], of query: Tree.Query? = nil, _ outer: NameScope?
    ) throws -> TranslatedQuery {
        let (isOfChange, documentID) = (isTranslatingChange, returnedID)
        assert(documentID == nil || isOfChange, "RETURNING is a part of a change")
        (isTranslatingChange, returnedID) = (false, nil)
        let sources = NameScope(outer)
        var terms = try select.from.map { try self.sources($0, sources) } ?? []
        if isOfChange { sources.sources.first?.isLiveOnly = true }
        let scope = try bindings(select.bindings, sources)
        if let from = select.from { try joinConditions(from, &terms, scope) }
        let isOutermost = live?.takeOutermost(terms) ?? false
        assert(!isOutermost || terms.count == 1, "the outermost SELECT reads one collection")
        let isMembers = isOutermost && live?.readsMembers == true
        let group = select.groups.isEmpty || isMembers ? nil : GroupTable(terms)
        let hadAggregates = hasOtherAggregates
        hasOtherAggregates = false
        defer { hasOtherAggregates = hasOtherAggregates || hadAggregates }
        let filter = select.condition?.conjuncts ?? []
        try noteMatches(filter + terms.flatMap { $0.condition.map(\.term) }, sources)
        if !isOfChange {
            let asked = Self.results(select.projection).map(\.expression) + order.map(\.expression) + filter
            if group == nil { try planTextAccess(terms, filter, asked, sources) }
            try planVectorSearches(asked, terms, select, of: query, scope)
        }
        group?.source.isCollecting = true
        let results = scope.defining([])
        results.allowedCalls = isOfChange ? .scalar : .windows
        let columns = try self.columns(select.projection, results)
        let named = try aliased(select.projection, scope, results)

        var conditions: [String] = []
        group?.source.isCollecting = false
        for term in filter { conditions.append(try condition(term, named)) }
        if isOutermost { live?.conditions = conditions }
        group?.source.isCollecting = true
        var groups = try self.groups(select, named, columns)
        let groupNamed = named.defining([])
        groupNamed.allowedCalls = .aggregates
        var having = try select.groupCondition.map { try condition($0, groupNamed) }
        groupNamed.allowedCalls = .windows
        var ordered = try self.order(order, groupNamed, columns: columns.map(\.sql))
        group?.source.isCollecting = false

        var list = columns.enumerated().map { "\($1.sql) AS c\($0)" }.joined(separator: ", ")
        if isMembers {
            (list, groups, having, ordered) = ("\(terms[0].source.prefix)number", [], nil, "")
        } else if isOutermost, groups.isEmpty, !select.isDistinct, live?.hasAggregates == false {
            list += ", \(terms[0].source.prefix)number"
            live?.hasNumberColumn = true
        }
        assert(group?.source.isCollecting != true, "the sources of SQL are documents from here on")
        conditions += try vectorConditions(terms, named)
        let nearestColumns = noteDistance(terms, ordered: ordered, columnCount: columns.count, &list)
        try planAccess(&terms, filter, named)
        let rest = ([list, having ?? "", ordered] + groups + (group?.source.collected ?? [])).joined()
        if let lone = terms.first, terms.count == 1 {
            let isPlain = groups.isEmpty && having == nil && !select.isDistinct && !isMembers
            if isPlain, lone.source.textAccess == nil, lone.source.vectorSearch?.access == nil, !order.isEmpty,
                let byIndex = try indexOrder(order, &terms[0], filter, groupNamed)
            {
                ordered = byIndex
            }
            if isPlain, group == nil, filter.count == 1, let query, let first = order.first {
                try readBestOnly(lone.source, query, first, Self.results(select.projection), named, NameScope(outer))
            }
            if terms[0].access != nil { Self.useKeysOnly(&terms[0], &conditions, rest) }
            if !isOfChange, group == nil { try useWordsOnly(&terms[0], &conditions, filter, rest, named) }
        }
        try useElementsOnly(&terms, &conditions, rest)
        assert(documentID == nil || terms.count == 1, "RETURNING reads one document")
        if let documentID { conditions.append("\(terms[0].source.prefix)id = \(documentID)") }
        let counted = try group.flatMap { try countedKeys($0, terms[0], select.groups, filter, named) }
        if visited != nil, counted == nil {
            for index in terms.indices { terms[index].countVisits(&self) }
        }
        var clause = Self.clause(terms)
        clause.conditions = (clause.conditions + conditions).filter { !$0.isEmpty }
        if let group {
            assert(terms.count == 1 && terms[0].source === group.source, "a group table has the rows of one collection")
            clause = (counted ?? table(of: group, clause, isScan: terms[0].access == nil), [])
        }
        let parts = [
            "SELECT \(select.isDistinct && !isMembers ? "DISTINCT " : "")\(list)", Self.part("FROM", [clause.from]),
            Self.part("WHERE", clause.conditions, separator: " AND "), Self.part("GROUP BY", groups),
            Self.part("HAVING", [having ?? ""]), Self.part("ORDER BY", [ordered]),
        ]
        var isValue = false
        if case .value = select.projection { isValue = true }
        return TranslatedQuery(
            sql: parts.joined(), columns: columns.map(\.name), isValue: isValue, nearestColumns: nearestColumns)
    }

    /// Returns the part of a SELECT that a keyword begins, with a space before it; empty if there is nothing in it.
    private static func part(_ keyword: String, _ items: [String], separator: String = ", ") -> String {
        let text = items.joined(separator: separator)
        return text.isEmpty ? "" : " \(keyword) \(text)"
    }

    /// Returns the SQL of a group table over a FROM clause and the conditions of WHERE. `isScan` says that the FROM
    /// clause reads the documents in the order of their row numbers: the table then has one row for each group of equal
    /// values, with the number of its documents, if the aggregates permit it. Otherwise it has one row for each
    /// document.
    private mutating func table(of group: GroupTable, _ clause: (from: String, conditions: [String]), isScan: Bool)
        -> String
    {
        guard isScan, !hasOtherAggregates else { return group.table(clause.from, clause.conditions) }
        return group.countedTable(clause.from, clause.conditions, nextAlias())
    }

    /// Returns a scope, for resolving names, with the names that LET defines; each of its expressions can use the
    /// previous names.
    private func bindings(_ bindings: [Binding], _ scope: NameScope) throws -> NameScope {
        var scope = scope
        for binding in bindings {
            let taken = scope.definitions.map(\.name) + scope.sources.compactMap(\.name)
            guard !taken.contains(where: { CaselessNames.areSame($0, binding.name) }) else {
                throw QueryFailure("duplicate alias '\(binding.name)'", at: binding.position)
            }
            scope = scope.defining([NameScope.Definition(name: binding.name, expression: binding.value, scope: scope)])
        }
        return scope
    }

    // MARK: - Columns

    static func results(_ projection: Projection) -> [Tree.ResultColumn] {
        switch projection {
        case .columns(let columns): columns
        case .value(let column): [column]
        }
    }

    /// Returns a scope, for resolving names, in which aliases of results are visible. It is used for WHERE, GROUP BY,
    /// HAVING and ORDER BY, but not for the results themselves.
    private func aliased(_ projection: Projection, _ scope: NameScope, _ results: NameScope) throws -> NameScope {
        var definitions: [NameScope.Definition] = []
        for result in Self.results(projection) {
            guard let alias = result.alias else { continue }
            let taken = definitions.map(\.name) + scope.sources.compactMap(\.name)
            guard !taken.contains(where: { CaselessNames.areSame($0, alias) }) else {
                throw QueryFailure("duplicate alias '\(alias)'", at: result.position)
            }
            definitions.append(NameScope.Definition(name: alias, expression: result.expression, scope: results))
        }
        return scope.defining(definitions)
    }

    /// A column of the result: its name, its SQL, and whether this SQL has an aggregate or a window function.
    private typealias Column = (name: String, sql: String, isAggregate: Bool)

    private mutating func columns(_ projection: Projection, _ scope: NameScope) throws -> [Column] {
        let results = Self.results(projection)
        var names = ColumnNames(explicit: results.compactMap(\.alias))
        return try results.map { result in
            scope.hasAggregates = false
            let sql = try value(result.expression, scope)
            let natural = try naturalName(result.expression, scope)
            return (names.name(alias: result.alias, natural: natural), sql, scope.hasAggregates)
        }
    }

    /// Returns the name of a column that is derived from its expression, such as the last name of a path; nil for an
    /// expression that has none.
    private func naturalName(_ expression: Tree.Expression, _ scope: NameScope) throws -> String? {
        switch expression {
        case .star(let names, let position): return try starName(names, scope, at: position)
        case .meta(let names, let position): return try source(names, scope, at: position).columnName
        case .path(let path):
            if let source = try wholeSource(path, scope) { return source.columnName ?? path.root }
            guard let last = path.steps.last else { return MetaKey.columnName(path.root) ?? path.root }
            if case .name(let name) = last { return name }
            return nil
        case .property(let base, let steps):
            guard case .meta = base, case .name(let name)? = steps.last else { return nil }
            return MetaKey(name)?.rawValue
        case .call(let call) where call.name == "ARRAY_COUNT":
            // The same name as in Couchbase Lite.
            guard case .path? = call.arguments.first else { return nil }
            return try naturalName(call.arguments[0], scope)
        default: return nil
        }
    }

    // MARK: - GROUP BY

    private mutating func groups(_ select: Tree.Select, _ scope: NameScope, _ columns: [Column]) throws -> [String] {
        var keys: [String] = []
        for group in select.groups {
            let outer = collation
            defer { collation = outer }
            var expression = group
            if case .collate(let inner, let given) = group { (expression, collation) = (inner, given.name) }
            if let position = Self.position(expression) {
                guard columns.indices.contains(position - 1) else {
                    throw QueryFailure(
                        "GROUP BY \(position) stands for the result's column with that number, and the columns have the numbers "
                            + "1 to \(columns.count)", at: select.groupPosition)
                }
                guard !columns[position - 1].isAggregate else {
                    throw QueryFailure(
                        "GROUP BY \(position) stands for the result's column with that number, which has an aggregate or a window "
                            + "function", at: select.groupPosition)
                }
                keys.append("query_group(\(columns[position - 1].sql))")
                continue
            }
            let piece = try self.piece(expression, scope)
            if let collation {
                keys.append("query_sort(\(piece.value), \(SQLText.string(collation)))")
            } else {
                keys.append(piece.form == .number || piece.form == .text ? piece.sql : "query_group(\(piece.value))")
            }
        }
        return keys
    }
}

extension MetaKey {
    /// Returns the column name for a property such as `_id`: the name of the key of META that it stands for; nil for
    /// any other property.
    static func columnName(_ property: String) -> String? {
        MetaKey(property: property)?.rawValue
    }
}
