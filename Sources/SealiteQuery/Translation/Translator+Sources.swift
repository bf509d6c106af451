internal import SealiteBase
internal import SealiteDatabase
internal import SealiteQueryLanguage

extension Translator {
    /// Adds the sources of a FROM clause to a scope, in the order in which they are written, and returns its terms,
    /// without the conditions of joins. RIGHT JOIN becomes LEFT JOIN of the exchanged sources.
    mutating func sources(_ from: Tree.From, _ scope: NameScope) throws -> [FromTerm] {
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
    private func container(_ path: Tree.Path, _ scope: NameScope) throws -> (QuerySource, [PathStep])? {
        guard case .source(let source, let steps) = try reference(path, scope), case .name(let name)? = steps.first,
            steps.allSatisfy(\.isPlain)
        else { return nil }
        if case .documents = source.kind, MetaKey.columnName(name) != nil { return nil }
        return (source, Array(steps))
    }

    /// Translates the conditions of joins, which may use all sources, and adds them to the terms of the FROM clause.
    mutating func joinConditions(_ from: Tree.From, _ terms: inout [FromTerm], _ scope: NameScope) throws {
        assert(terms.count == from.joins.count + 1, "each join has a term after the first one")
        for (index, join) in from.joins.enumerated() {
            guard case .join(_, _, let on) = join else { continue }
            // The first source of a RIGHT JOIN is the second term.
            for term in on.conjuncts { terms[index + 1].condition.append((term, try condition(term, scope))) }
        }
    }

    private func unnestName(_ names: [String], _ scope: NameScope) -> String {
        let isSourceFirst = scope.sources.contains { $0.isNamed(names[0]) } && names.count > 1
        return (isSourceFirst ? names.dropFirst() : names[...]).joined(separator: ".")
    }

    private mutating func term(_ kind: FromTerm.Kind, _ source: Source, _ scope: NameScope) throws -> FromTerm {
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
        _ name: CollectionName, _ alias: String?, _ scope: NameScope
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

    private func unique(_ alias: String, _ scope: NameScope, at position: Tree.Position) throws -> String {
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
    /// Creating a vector index on an expression `on` of a collection (nil: the default collection), after a query
    /// searched for near vectors without one.
    case createVectorIndex(on: String, collection: String?)

    package var text: String {
        switch self {
        case .listDocumentCollections: "list the collections; their names are case-sensitive"
        case .createTextIndex(let on, _): "MATCH takes the name of a full-text index on \(on)"
        case .createVectorIndex: "create one, or compare exactly with VECTOR_DISTANCE()"
        }
    }
}

/// One term of a FROM clause, translated to SQL.
struct FromTerm {
    enum Kind {
        case first, inner, left, cross
    }

    var kind: Kind
    /// The SQL for the rows of the term: a table, a subquery or the call of a table-valued function.
    let rows: String
    let source: QuerySource
    /// The terms of a join's ON condition, each with its SQL.
    var condition: [(term: Tree.Expression, sql: String)] = []
    /// The access path by which the documents are found through an index; nil if there is none.
    var access: AccessPath?
    /// A Boolean value that says whether the query needs only the keys of the access path's index, or only the rows
    /// that a search of words finds, so that the documents aren't read.
    var isKeysOnly = false
    /// The SQL conditions, always true, that count the visited rows; empty if they aren't counted.
    var visits: [String] = []

    /// The SQL condition that the row's document isn't deleted; nil if deleted documents take part, or the rows aren't
    /// documents.
    var liveness: String? {
        guard case .documents = source.kind, !source.hasDeleted else { return nil }
        return "\(source.prefix)number > 0"
    }
}

extension FromTerm {
    /// The name of an SQL column that the rows of the term always have.
    private var anyColumn: String {
        switch source.kind {
        case .documents: "number"
        case .elements: "value"
        case .rows: "c0"
        }
    }

    /// Sets the conditions that count the rows that the term visits. Must be called after the access paths have been
    /// chosen.
    mutating func countVisits(_ translator: inout Translator) {
        assert(visits.isEmpty, "the rows of a term are counted once")
        let keys = access.flatMap { isSubquery($0) ? nil : translator.visit($0.alias, "document") }
        let rows = isKeysOnly ? nil : translator.visit(source.sql, anyColumn)
        let words = source.textAccess.flatMap { translator.visit($0.alias, "rowid") }
        visits = [keys, words, rows].compactMap { $0 }
    }

    /// Returns whether the table of an access path's index is in a subquery of the SQL, in which visited rows aren't
    /// counted.
    private func isSubquery(_ access: AccessPath) -> Bool {
        if kind == .left { return true }
        guard access.index.levels != nil else { return false }
        return !isKeysOnly || (access.elements == nil && !access.conditions.isEmpty)
    }

    /// Returns the SQL for the rows of the term, read through an index if there is an access path or a full-text search.
    /// Appends to `conditions`, the SQL terms of WHERE, those that the rows must satisfy: conditions of the index that
    /// aren't in a subquery, or without an index that documents are live, and those that count visited rows.
    func table(_ conditions: inout [String]) -> String {
        let rows = "\(self.rows) AS \(source.sql)"
        conditions += visits
        if let nearest = nearestRows(&conditions) { return nearest }
        if let access = source.textAccess {
            assert(self.access == nil, "documents that are found by words aren't found by keys")
            let words = "\(access.index.table) AS \(access.alias)"
            conditions += ["\(access.handle) MATCH \(access.expression)", access.best].compactMap { $0 }
            if isKeysOnly { return words }
            conditions.append("\(source.prefix)number = \(access.alias).rowid")
            return "\(words) CROSS JOIN \(rows)"
        }
        guard let access else {
            assert(!isKeysOnly, "keys are those of an access path")
            if let liveness { conditions.append(liveness) }
            return rows
        }
        if isKeysOnly {
            if isSubquery(access) { return access.documents }
            conditions += access.conditions
            return access.table
        }
        if access.index.levels != nil {
            // A document can have several entries in an index over elements, so the index is searched in a subquery.
            conditions += [lookup].compactMap { $0 }
            return rows
        }
        conditions += access.conditions + ["\(source.sql).number = \(access.alias).document"]
        // SQLite keeps the order of a CROSS JOIN: the keys are searched first, and the documents are read by the
        // numbers found.
        return "\(access.table) CROSS JOIN \(rows)"
    }

    /// The SQL condition that a document is one of those that the access path finds; nil without an access path.
    var lookup: String? {
        access.map { access in
            // A path through a partial index may have no conditions: every document of the index is found.
            let keys = access.conditions.isEmpty ? "" : " WHERE \(access.conditions.joined(separator: " AND "))"
            return "\(source.sql).number IN (SELECT \(access.alias).document FROM \(access.table)\(keys))"
        }
    }
}
