internal import SealiteBase
internal import SealiteDatabase
internal import SealiteQueryLanguage

extension Translator {
    /// Adds the sources of a FROM clause to a scope, in the order in which they are written, and returns its terms,
    /// without the conditions of joins. RIGHT JOIN becomes LEFT JOIN of the exchanged sources.
    mutating func sources(_ from: Tree.From, _ scope: Scope) throws -> [FromTerm] {
        assert(scope.sources.isEmpty, "a FROM clause begins a scope")
        var terms = [try term(.first, from.source, scope)]
        for join in from.joins {
            switch join {
            case .join(.inner, let source, _): terms.append(try term(.inner, source, scope))
            case .join(.left, let source, _): terms.append(try term(.left, source, scope))
            case .join(.right, let source, _):
                guard terms.count == 1 else {
                    throw QueryFailure(
                        "RIGHT JOIN must be the first join of FROM",
                        hint: "use LEFT JOIN with exchanged sources, or put what precedes it into a query in FROM",
                        at: source.position)
                }
                terms[0].kind = .left
                terms.insert(try term(.first, source, scope), at: 0)
            case .cross(let source): terms.append(try term(.cross, source, scope))
            case .unnest(let path, let alias, let isLeft):
                let names = [path.root] + path.steps.compactMap { if case .name(let name) = $0 { name } else { nil } }
                let name = try unique(alias ?? unnestName(names, scope), scope, at: path.position)
                let source = QuerySource(name, sql: nextAlias(), .elements)
                scope.sources.append(source)
                // The new source is already in the scope, so a path that doesn't begin with the name of a source is
                // ambiguous.
                let container = try value(.path(path), scope)
                source.container = try self.container(path, scope)
                source.isLeftUnnest = isLeft
                terms.append(
                    FromTerm(kind: isLeft ? .left : .cross, rows: "query_each(\(container))", source: source))
            }
        }
        assert(terms.count == scope.sources.count, "each term has a source")
        Self.distinguishColumns(scope.sources)
        return terms
    }

    /// Adds the scope to the column name of each collection in a named scope that another source has as its column name
    /// too.
    private static func distinguishColumns(_ sources: [QuerySource]) {
        guard sources.count > 1 else { return }
        let names = sources.map(\.columnName)
        for (index, source) in sources.enumerated()
        where source.scopeName.map({ $0 != Database.defaultScopeName }) ?? false {
            let isTaken = names.enumerated().contains { $0 != index && $1 == names[index] }
            if isTaken { source.columnName = source.name }
        }
    }

    /// Returns the source whose values contain the array of UNNEST, and the steps to the array; nil if no array index
    /// can contain the array's elements.
    private func container(_ path: Tree.Path, _ scope: Scope) throws -> (QuerySource, [PathStep])? {
        guard case .source(let source, let steps) = try reference(path, scope), case .name(let name)? = steps.first,
            steps.allSatisfy(\.isPlain)
        else { return nil }
        if case .documents = source.kind, MetaKey.columnName(name) != nil { return nil }
        return (source, Array(steps))
    }

    /// Translates the conditions of joins, which may use all sources, and adds them to the terms of the FROM clause.
    mutating func joinConditions(_ from: Tree.From, _ terms: inout [FromTerm], _ scope: Scope) throws {
        assert(terms.count == from.joins.count + 1, "each join has a term after the first one")
        for (index, join) in from.joins.enumerated() {
            guard case .join(_, _, let on) = join else { continue }
            // The first source of a RIGHT JOIN is the second term.
            for term in on.conjuncts { terms[index + 1].condition.append((term, try condition(term, scope))) }
        }
    }

    private func unnestName(_ names: [String], _ scope: Scope) -> String {
        let isSourceFirst = scope.sources.contains { $0.isNamed(names[0]) } && names.count > 1
        return (isSourceFirst ? names.dropFirst() : names[...]).joined(separator: ".")
    }

    private mutating func term(_ kind: FromTerm.Kind, _ source: Tree.Source, _ scope: Scope) throws -> FromTerm {
        switch source {
        case .subquery(let query, let alias):
            let translated = try self.query(query, scope.outer)
            let source = QuerySource(
                try unique(alias, scope, at: .none), sql: nextAlias(),
                .rows(columns: translated.columns, isValue: translated.isValue))
            scope.sources.append(source)
            return FromTerm(kind: kind, rows: "(\(translated.sql))", source: source)
        case .collection(let name, let alias):
            if name.scope == nil, let table = scope.commonTable(name.name) {
                let source = QuerySource(
                    try unique(alias ?? name.name, scope, at: name.position), sql: nextAlias(),
                    .rows(columns: table.columns, isValue: table.isValue))
                scope.sources.append(source)
                return FromTerm(kind: kind, rows: table.sql, source: source)
            }
            let (rows, source) = try documents(name, alias, scope)
            scope.sources.append(source)
            return FromTerm(kind: kind, rows: rows, source: source)
        }
    }

    /// Returns the SQL name of a collection's table, and the source that it is in the query.
    mutating func documents(
        _ name: CollectionName, _ alias: String?, _ scope: Scope
    ) throws -> (rows: String, source: QuerySource) {
        let written = name.scope.map { "\($0).\(name.name)" } ?? name.name
        guard let found = try catalogue.collection(scope: name.scope, name: name.name) else {
            throw QueryFailure(
                "no such collection \"\(written)\"",
                hint: QueryRemedy.listDocumentCollections.hint, at: name.position)
        }
        collectionNames[found.number] = (found.scope, found.name)
        let isShort = alias == nil && found.name != written
        let isScoped = name.scope != nil || name.name.contains(".")
        let source = QuerySource(
            try unique(
                alias ?? (found.scope == Database.defaultScopeName && name.scope != nil ? found.name : written), scope,
                at: name.position),
            sql: nextAlias(), .documents(found.number), columnName: alias ?? (isScoped ? found.name : name.name),
            scopeName: alias == nil ? found.scope : nil, shortName: isShort ? found.name : nil)
        return ("documents_\(found.number)", source)
    }

    private func unique(_ alias: String, _ scope: Scope, at position: Tree.Position) throws -> String {
        guard !scope.sources.contains(where: { $0.isNamed(alias) }) else {
            throw QueryFailure("duplicate alias '\(alias)'", at: position)
        }
        return alias
    }

    /// Returns the SQL of a FROM clause, without the word FROM, and the SQL conditions that have to be added to WHERE.
    /// Must be called after everything else of the query has been translated, because only then it is known whether
    /// deleted documents take part.
    static func clause(_ terms: [FromTerm]) -> (from: String, conditions: [String]) {
        var (from, conditions) = ("", [String]())
        for term in terms {
            let joined = term.condition.map(\.sql)
            switch term.kind {
            case .first:
                assert(from.isEmpty, "the first term begins the clause")
                from = term.table(&conditions)
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

/// The next steps after errors of queries.
package enum QueryRemedy: Remedy, Hashable {
    /// Listing the collections of a document database, after a query named one that doesn't exist.
    case listDocumentCollections
    /// Creating a full-text index on the property `on` of a collection (nil: the default collection), after a query
    /// named a full-text index that doesn't exist.
    case createTextIndex(on: String, collection: String?)

    package var text: String {
        switch self {
        case .listDocumentCollections: "list the collections; their names are case-sensitive"
        case .createTextIndex(let on, _): "MATCH takes the name of a full-text index on \(on)"
        }
    }
}
