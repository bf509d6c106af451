internal import SealiteBase
internal import SealiteDatabase
internal import SealiteQueryLanguage

// MATCH is translated to a condition that the document's row number is among those that the FTS5 table of the index
// finds, so it can be used anywhere. RANK, SNIPPET, HIGHLIGHT and HITS are functions of FTS5, which can only be called
// in a query of the FTS5 table. If the only source of a query is found through MATCH, the FTS5 table is scanned first
// (``TextAccess``) and the functions are called for this scan; otherwise they are called in a subquery.
extension Translator {
    /// The functions of full-text search, other than RANK, whose first argument is an index.
    static let ofFullText: Set = ["SNIPPET", "HIGHLIGHT", "HITS"]

    // MARK: - Indexes by their names

    /// Returns the source and the full-text index to which names in MATCH or another function refer: the name of the
    /// index, optionally after that of its source.
    private func textIndex(
        _ names: [String], _ scope: NameScope, at position: Tree.Position
    ) throws -> (QuerySource, TextIndex) {
        assert(!names.isEmpty, "an index is found by its name")
        let name = names.last ?? ""
        let sources: [QuerySource]
        if names.count > 1 {
            sources = [try source(Array(names.dropLast()), scope, at: position)]
        } else {
            var (all, place): ([QuerySource], NameScope?) = ([], scope)
            while let scope = place {
                all += scope.sources
                place = scope.outer
            }
            sources = all
        }
        var known: [String] = []
        for source in sources {
            guard case .documents(let collection) = source.kind, !source.sql.isEmpty else { continue }
            let indexes = try catalogue.textIndexes(ofCollection: collection)
            if let index = indexes.first(where: { $0.name == name }) { return (source, index) }
            known += indexes.map(\.name)
        }
        let hint =
            known.isEmpty
            ? QueryRemedy.createTextIndex(on: name, collection: place(sources)).hint
            : "existing full-text indexes: \(known.map { "\"\($0)\"" }.joined(separator: ", "))"
        throw QueryFailure("there is no full-text index \"\(name)\"", hint: hint, at: position)
    }

    /// Returns the name of the first collection among sources, preceded by its scope unless that is the default scope;
    /// nil for the default collection.
    func place(_ sources: [QuerySource]) -> String? {
        for source in sources {
            guard case .documents(let number) = source.kind, let (scope, name) = collectionNames[number] else {
                continue
            }
            guard name != Database.defaultCollectionName else { return nil }
            return scope == Database.defaultScopeName ? name : "\(scope).\(name)"
        }
        return nil
    }

    // MARK: - MATCH

    mutating func match(
        _ names: [String], _ query: Tree.Expression, _ scope: NameScope, at position: Tree.Position
    ) throws -> SQLPiece {
        let (source, index) = try textIndex(names, scope, at: position)
        if source.textAccess?.index == index, source.textAccess?.query == query { return SQLPiece("TRUE", .truth) }
        let expression = try expression(query, index, scope, at: position)
        let rows = "SELECT rowid FROM \(index.table) WHERE \(index.table) MATCH \(expression)"
        return SQLPiece(source.column("(\(source.prefix)number IN (\(rows)))"), .truth)
    }

    /// Returns the SQL for the FTS5 expression to which a search text is translated. A constant search text is
    /// translated now, any other one when the query runs.
    private mutating func expression(
        _ query: Tree.Expression, _ index: TextIndex, _ scope: NameScope, at position: Tree.Position
    ) throws -> String {
        if case .literal(.string(let text)) = query, let problem = index.problem(of: text) {
            throw QueryFailure(problem, at: position)
        }
        plan.textIndexes[index.table] = index.name
        return index.expression(try value(query, scope))
    }

    /// Adds each MATCH in the conditions of a SELECT to the `matches` of the source that it refers to, unless the
    /// source already has one of the same index.
    func noteMatches(_ conditions: [Tree.Expression], _ scope: NameScope) throws {
        for condition in conditions {
            _ = try condition.rewritten { part in
                if case .match(let names, let query, let position) = part {
                    let (source, index) = try self.textIndex(names, scope, at: position)
                    if !source.matches.contains(where: { $0.index == index }) { source.matches.append((index, query)) }
                    return part
                }
                switch part {
                case .subquery, .exists, .path, .rank: return part
                default: return nil
                }
            }
        }
    }

    /// Makes the FTS5 table of a MATCH the access path to a query's only source, if the query calls functions of FTS5
    /// that refer to it. Must be called after `noteMatches`.
    mutating func planTextAccess(
        _ terms: [FromTerm], _ filter: [Tree.Expression], _ asked: [Tree.Expression], _ scope: NameScope
    ) throws {
        guard terms.count == 1, let source = terms.first?.source, case .documents = source.kind else { return }
        for case .match(let names, let query, let position) in filter {
            guard query.isLiteralOrParameter else { continue }
            let (found, index) = try textIndex(names, scope, at: position)
            // The functions refer to the first MATCH of the index, which may be another one.
            guard found === source, source.matches.first(where: { $0.index == index })?.query == query,
                asksFunctions(asked, index.name)
            else { continue }
            live?.dependsOnOtherDocuments = true
            try search(source, index, query, scope, at: position)
            return
        }
    }

    /// Makes the FTS5 table of an index the access path to a source.
    private mutating func search(
        _ source: QuerySource, _ index: TextIndex, _ query: Tree.Expression, _ scope: NameScope,
        at position: Tree.Position
    ) throws {
        assert(source.textAccess == nil, "a source is found by one search of words")
        let access = TextAccess(
            index: index, query: query, alias: nextAlias(),
            expression: try expression(query, index, scope, at: position))
        plan.textIndexes[access.alias] = index.name
        source.textAccess = access
    }

    /// Omits the table of documents from a query's only FROM term, and empties the conditions, if a MATCH is the only
    /// condition and nothing else refers to a document, as in a count: the FTS5 table has a row for each document that
    /// is found. `conditions` are the SQL terms of WHERE, and `rest` is the other SQL of the query.
    mutating func useWordsOnly(
        _ term: inout FromTerm, _ conditions: inout [String], _ filter: [Tree.Expression], _ rest: String,
        _ scope: NameScope
    ) throws {
        guard case .documents = term.source.kind, term.access == nil, term.source.textAccess == nil,
            live == nil, conditions.count == 1, !rest.contains(term.source.prefix),
            case .match(let names, let query, let position)? = filter.first, query.isLiteralOrParameter,
            case let (found, index) = try textIndex(names, scope, at: position), found === term.source
        else { return }
        try search(term.source, index, query, scope, at: position)
        term.isKeysOnly = true
        conditions = [""]
    }

    /// Returns whether the documents of a target are found through a full-text index, because one of the terms that
    /// must be true is a MATCH on the source.
    func isFoundByWords(_ target: AccessTarget) throws -> Bool {
        try target.terms.contains { term in
            guard case .match(let names, _, let position) = term else { return false }
            return try textIndex(names, target.scope, at: position).0 === target.source
        }
    }

    /// Returns whether expressions call functions of FTS5 for the index with a name, and contain no aggregates.
    private func asksFunctions(_ expressions: [Tree.Expression], _ name: String) -> Bool {
        var isAsked = false
        for expression in expressions {
            let isPlain = try? expression.rewritten { part in
                switch part {
                case .rank(let names, _, _):
                    isAsked = isAsked || names.last == name
                    return part
                case .call(let call) where Self.ofFullText.contains(call.name):
                    isAsked = isAsked || Self.names(call).last == name
                    return part
                case .path, .star, .meta, .match: return part
                default: return nil
                }
            }
            guard isPlain ?? nil != nil else { return false }
        }
        return isAsked
    }

    // MARK: - RANK, SNIPPET, HIGHLIGHT, HITS

    /// Returns the names in the first argument of a call, which refer to an index; empty if the argument isn't a path
    /// of names.
    private static func names(_ call: FunctionCall) -> [String] {
        guard case .path(let path)? = call.arguments.first else { return [] }
        return path.steps.reduce([path.root]) { names, step in
            if case .name(let name) = step { names + [name] } else { [] }
        }
    }

    mutating func rank(
        _ names: [String], _ weights: [Tree.Expression], _ scope: NameScope, at position: Tree.Position
    ) throws -> SQLPiece {
        live?.dependsOnOtherDocuments = true
        let arguments = try self.weights(weights, scope)
        let (source, index, query) = try matched(names, "RANK", scope, at: position)
        if let access = source.textAccess, access.index == index {
            return SQLPiece(index.rank(access.handle, arguments), .number)
        }
        let expression = try expression(query, index, scope, at: position)
        // LIMIT -1 keeps SQLite from moving the rows of the subquery into the enclosing query, which would count hits
        // again for each row.
        let ranks = """
            SELECT rowid AS number, \(index.rank(index.table, arguments)) AS rank FROM \(index.table) \
            WHERE \(index.table) MATCH \(expression) LIMIT -1
            """
        let alias = nextAlias()
        return SQLPiece(
            source.column(
                "(SELECT \(alias).rank FROM (\(ranks)) AS \(alias) WHERE \(alias).number = \(source.prefix)number)"),
            .number)
    }

    /// Returns the SQL of the weights of columns, as further arguments of a function, each after a comma.
    private mutating func weights(_ weights: [Tree.Expression], _ scope: NameScope) throws -> String {
        try weights.map { ", query_tonumber(\(try value($0, scope)))" }.joined()
    }

    /// Makes FTS5 skip the rows that can't be among the first LIMIT rows by descending rank, so that their documents
    /// aren't read. This applies to a query with LIMIT that uses MATCH and no other conditions.
    mutating func readBestOnly(
        _ source: QuerySource, _ query: Tree.Query, _ order: Tree.OrderTerm, _ results: [Tree.ResultColumn],
        _ scope: NameScope, _ outer: NameScope
    ) throws {
        guard let access = source.textAccess, order.direction == .descending, order.nulls == nil else { return }
        assert(access.best == nil, "the first rows by rank are chosen once")
        var expression = order.expression
        if case .path(let path) = expression, path.steps.isEmpty,
            let result = results.first(where: { $0.alias.map { CaselessNames.areSame($0, path.root) } ?? false })
        {
            expression = result.expression
        }
        // Weights that depend on the document differ between rows, so that ranks couldn't be compared.
        guard case .rank(let names, let weights, let position) = expression,
            weights.allSatisfy({ if case .literal = $0 { true } else { false } }),
            case let (found, index) = try textIndex(names, scope, at: position), found === source,
            index == access.index,
            let count = try rowCount(query, outer)
        else { return }
        let rank = access.index.rank(access.handle, count: count, try self.weights(weights, scope))
        source.textAccess?.best = "\(rank) IS NOT NULL"
    }

    /// Returns the source, the index and the search text of the MATCH condition to which a function of FTS5 refers.
    private func matched(
        _ names: [String], _ function: String, _ scope: NameScope, at position: Tree.Position
    ) throws -> (QuerySource, TextIndex, Tree.Expression) {
        let (source, index) = try textIndex(names, scope, at: position)
        guard let found = source.matches.first(where: { $0.index == index }) else {
            throw QueryFailure("\(function)() cannot be used without MATCH() of the same index", at: position)
        }
        return (source, index, found.query)
    }

    /// Returns the number, from 0, of the index's column to which an argument refers by a literal name or number; nil
    /// for any other argument.
    ///
    /// - Throws: `QueryFailure` if the index has no column with the name or number.
    private static func column(
        _ argument: Tree.Expression?, _ index: TextIndex, at position: Tree.Position
    ) throws -> Int? {
        let texts = index.definition.texts
        switch argument {
        case .literal(.string(let name))?:
            if let column = texts.firstIndex(where: { CaselessNames.areSame($0.name, name) }) { return column }
            throw QueryFailure(
                "the full-text index \"\(index.name)\" has no column \"\(name)\"",
                hint: "its columns are \(texts.map { "\"\($0.name)\"" }.joined(separator: ", "))", at: position)
        case .literal(.number(let text))?:
            guard let number = Int(text), number >= 0 else { return nil }
            if number < texts.count { return number }
            throw QueryFailure(
                "the full-text index \"\(index.name)\" has no column with the number \(number)",
                hint: "the numbers of its columns are 0 to \(texts.count - 1)", at: position)
        default: return nil
        }
    }

    mutating func fullText(_ call: FunctionCall, _ scope: NameScope) throws -> SQLPiece {
        let names = Self.names(call)
        guard !names.isEmpty else {
            throw QueryFailure(
                "the first argument of \(call.name)() must be the name of a full-text index",
                hint: "write the name without quotes, such as \(call.name)(words)", at: call.position)
        }
        let (source, index, query) = try matched(names, call.name, scope, at: call.position)
        var arguments = ""
        if call.name == "HITS" {
            arguments = index.definition.texts.map { ", \(SQLText.string($0.name))" }.joined()
        } else {
            let isSnippet = call.name == "SNIPPET"
            let defaults = [isSnippet ? "-1" : "0", "'<b>'", "'</b>'"] + (isSnippet ? ["'…'", "16"] : [])
            for (place, standard) in defaults.enumerated() {
                let given = place + 1 < call.arguments.count ? call.arguments[place + 1] : nil
                if place == 0, let column = try Self.column(given, index, at: call.position) {
                    arguments += ", \(column)"
                } else {
                    arguments += ", " + (try given.map { try value($0, scope) } ?? standard)
                }
            }
        }
        let function = "query_\(call.name.lowercased())"
        if let access = source.textAccess, access.index == index {
            return SQLPiece("\(function)(\(access.handle)\(arguments))")
        }
        let expression = try expression(query, index, scope, at: call.position)
        let table = index.table
        return SQLPiece(
            source.column(
                """
                (SELECT \(function)(\(table)\(arguments)) FROM \(table) WHERE \(table) MATCH \(expression) \
                AND rowid = \(source.prefix)number)
                """))
    }
}

extension Tree.Expression {
    /// A Boolean value that says whether the expression has one value for the whole query, which depends on no document.
    fileprivate var isLiteralOrParameter: Bool {
        switch self {
        case .literal, .parameter: true
        default: false
        }
    }
}
