internal import SealiteDatabase
internal import SealiteQueryLanguage

/// One term of a FROM clause in SQL.
struct FromTerm {
    enum Kind {
        case first, inner, left, cross
    }

    let kind: Kind
    /// The table, the subquery or the table-valued call.
    let rows: String
    let source: QuerySource
    /// The terms of the condition of a join, with their SQL.
    var condition: [(term: Tree.Expression, sql: String)] = []
    /// The access path to the documents through an index; nil if there is none.
    var access: AccessPath?
    /// A Boolean value that says whether only the keys of the index are needed.
    var isKeysOnly = false
    /// The conditions that count the visited rows, if they are measured.
    var visits: [String] = []

    /// The condition that a row is that of a live document; nil if every row takes part.
    var liveness: String? {
        guard case .documents = source.kind, !source.hasDeleted else { return nil }
        return "\(source.prefix)number > 0"
    }
}

extension Translator {
    /// Adds the sources of a FROM clause to a scope.
    mutating func sources(_ from: Tree.From, _ scope: Scope) throws -> [FromTerm] {
        var terms = [try term(.first, from.source, scope)]
        for join in from.joins {
            switch join {
            case .join(.inner, let source, _): terms.append(try term(.inner, source, scope))
            case .join(.left, let source, _): terms.append(try term(.left, source, scope))
            case .cross(let source): terms.append(try term(.cross, source, scope))
            case .unnest(let path, let alias):
                let names = [path.root] + path.steps.compactMap { if case .name(let name) = $0 { name } else { nil } }
                let source = QuerySource(
                    try unique(alias ?? unnestName(names, scope), scope), sql: nextAlias(), .elements)
                scope.sources.append(source)
                // The new source is in the scope, so a path without the name of a source is ambiguous.
                let container = try value(.path(path), scope)
                source.container = try self.container(path, scope)
                terms.append(FromTerm(kind: .cross, rows: "query_each(\(container))", source: source))
            }
        }
        return terms
    }

    /// Returns the source and the steps to the array of UNNEST; nil if no array index can contain its elements.
    private func container(_ path: Tree.Path, _ scope: Scope) throws -> (QuerySource, [PathStep])? {
        guard case .source(let source, let steps) = try reference(path, scope), case .name(let name)? = steps.first,
            !steps.contains(where: { if case .slice = $0 { true } else { false } })
        else { return nil }
        if case .documents = source.kind, MetaKey.columnName(name) != nil { return nil }
        return (source, Array(steps))
    }

    /// Translates the conditions of joins, which may use all sources.
    mutating func joinConditions(_ from: Tree.From, _ terms: inout [FromTerm], _ scope: Scope) throws {
        for (index, join) in from.joins.enumerated() {
            guard case .join(_, _, let on) = join else { continue }
            for term in on.conjuncts { terms[index + 1].condition.append((term, try condition(term, scope))) }
        }
    }

    private func unnestName(_ names: [String], _ scope: Scope) -> String {
        let isSourceFirst = scope.sources.contains { Names.areSame($0.name, names[0]) } && names.count > 1
        return (isSourceFirst ? names.dropFirst() : names[...]).joined(separator: ".")
    }

    private mutating func term(_ kind: FromTerm.Kind, _ source: Tree.Source, _ scope: Scope) throws -> FromTerm {
        switch source {
        case .subquery(let query, let alias):
            let translated = try self.query(query, scope.outer)
            let source = QuerySource(
                try unique(alias, scope), sql: nextAlias(),
                .rows(columns: translated.columns, isValue: translated.isValue))
            scope.sources.append(source)
            return FromTerm(kind: kind, rows: "(\(translated.sql))", source: source)
        case .collection(let name, let alias):
            if name.scope == nil, let table = scope.commonTable(name.name) {
                let source = QuerySource(
                    try unique(alias ?? name.name, scope), sql: nextAlias(),
                    .rows(columns: table.columns, isValue: table.isValue))
                scope.sources.append(source)
                return FromTerm(kind: kind, rows: table.sql, source: source)
            }
            let (rows, source) = try documents(name, alias, scope)
            scope.sources.append(source)
            return FromTerm(kind: kind, rows: rows, source: source)
        }
    }

    /// Returns the table of a collection, and its source.
    mutating func documents(
        _ name: CollectionName, _ alias: String?, _ scope: Scope
    ) throws -> (rows: String, source: QuerySource) {
        let written = name.scope.map { "\($0).\(name.name)" } ?? name.name
        guard let found = try catalogue.collection(scope: name.scope, name: name.name) else {
            throw QueryFailure("no such collection \"\(written)\"", at: name.position)
        }
        collectionNames[found.number] = (found.scope, found.name)
        let isShort = alias == nil && found.name != written
        let source = QuerySource(
            try unique(
                alias ?? (found.scope == Database.defaultScopeName && name.scope != nil ? found.name : written), scope),
            sql: nextAlias(), .documents(found.number),
            scopeName: alias == nil ? found.scope : nil, shortName: isShort ? found.name : nil)
        return ("documents_\(found.number)", source)
    }

    private func unique(_ alias: String, _ scope: Scope) throws -> String {
        guard !scope.sources.contains(where: { Names.areSame($0.name, alias) }) else {
            throw QueryFailure("duplicate alias '\(alias)'")
        }
        return alias
    }

    /// Returns the FROM clause and the conditions that belong to WHERE. To be called after everything else of the query
    /// is translated, because only then it is known whether deleted documents take part.
    static func clause(_ terms: [FromTerm]) -> (from: String, conditions: [String]) {
        var (from, conditions) = ("", [String]())
        for term in terms {
            let joined = term.condition.map(\.sql)
            switch term.kind {
            case .first: from = term.table(&conditions)
            case .cross: from += " CROSS JOIN \(term.table(&conditions))"
            case .inner:
                from += " JOIN \(term.table(&conditions))"
                conditions += joined
            case .left:
                let on = term.visits + [term.lookup ?? term.liveness].compactMap { $0 } + joined
                let rows = "\(term.rows) AS \(term.source.sql)"
                from += " LEFT JOIN \(rows) ON \(on.isEmpty ? "TRUE" : on.joined(separator: " AND "))"
            }
        }
        return (from, conditions)
    }
}

extension FromTerm {
    /// A column that every row of the term has.
    private var anyColumn: String {
        switch source.kind {
        case .documents: "number"
        case .elements: "value"
        case .rows: "c0"
        }
    }

    /// Sets the conditions that count visited rows. To be called when the tables of the plan are known.
    mutating func countVisits(_ translator: inout Translator) {
        let keys = access.flatMap { isSubquery($0) ? nil : translator.visit($0.alias, "document") }
        let rows = isKeysOnly ? nil : translator.visit(source.sql, anyColumn)
        let words = source.textAccess.flatMap { translator.visit($0.alias, "rowid") }
        visits = [keys, words, rows].compactMap { $0 }
    }

    /// Returns whether the table of an index is in a subquery, in which rows aren't counted.
    private func isSubquery(_ access: AccessPath) -> Bool {
        if kind == .left { return true }
        guard access.index.levels != nil else { return false }
        return !isKeysOnly || (access.elements == nil && !access.conditions.isEmpty)
    }

    /// Returns the table of the term, through an index if there is an access path; its conditions are added to those of
    /// WHERE.
    fileprivate func table(_ conditions: inout [String]) -> String {
        let rows = "\(self.rows) AS \(source.sql)"
        conditions += visits
        if let access = source.textAccess {
            conditions += [
                "\(access.handle) MATCH \(access.expression)", access.best,
                "\(source.prefix)number = \(access.alias).rowid",
            ].compactMap { $0 }
            return "\(access.index.table) AS \(access.alias) CROSS JOIN \(rows)"
        }
        guard let access else {
            if let liveness { conditions.append(liveness) }
            return rows
        }
        if isKeysOnly {
            if isSubquery(access) { return access.documents }
            conditions += access.conditions
            return access.table
        }
        if access.index.levels != nil {
            // A document can have several entries there.
            conditions += [lookup].compactMap { $0 }
            return rows
        }
        conditions += access.conditions + ["\(source.sql).number = \(access.alias).document"]
        // The order of the tables is the plan: the keys lead to the documents.
        return "\(access.table) CROSS JOIN \(rows)"
    }

    /// The condition that a row of an outer join is one to which the index leads.
    fileprivate var lookup: String? {
        access.map { access in
            let keys = access.conditions.joined(separator: " AND ")
            return "\(source.sql).number IN (SELECT \(access.alias).document FROM \(access.table) WHERE \(keys))"
        }
    }
}
