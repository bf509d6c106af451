internal import SealiteDatabase
internal import SealiteQueryLanguage

/// Translates the syntax tree of a query into SQL over stored bodies.
struct Translator {
    let catalogue: any QueryCatalogue
    /// The parameters of the statement in SQL, in the order of their numbers, from ?1 on.
    private(set) var parameters: [StatementParameter] = []
    /// What the plan uses, for its description.
    var plan = PlanNames()
    /// The scope and the name of each collection that was queried, by the collection's number.
    var collectionNames: [Int: (scope: String, name: String)] = [:]
    /// The name of the collation of the comparisons that are being translated; nil for the comparison of bytes.
    var collation: String?
    /// A Boolean value that says whether the next SELECT is a part of an UPDATE, DELETE or INSERT, in which aggregates
    /// aren't allowed and deleted documents don't take part.
    var isTranslatingChange = false
    /// The SQL for the ID of the only document that the next SELECT reads, for RETURNING; nil for any other SELECT.
    var returnedID: String?
    /// A Boolean value that says whether the SELECT that is being translated has aggregates other than the `COUNT(*)`
    /// of a group table.
    var hasOtherAggregates = false
    /// The aliases of the tables whose visited rows the statement counts; nil if it counts none.
    var visited: [String]?
    /// The names that parts of the expression that is being translated have in SQL.
    var names = PartNames()
    /// A Boolean value that says whether parts of an expression may get names in SQL, which isn't possible in a
    /// trigger.
    var canNameParts = true
    /// The properties of the query that are needed for observing it, collected meanwhile; nil if it isn't observed.
    var live: LiveTranslation?
    private var aliasCount = 0
    /// The indexes of the collections that were queried, by the collections' numbers.
    private var knownIndexes: [Int: [PlannedIndex]] = [:]

    init(_ catalogue: any QueryCatalogue) { self.catalogue = catalogue }

    /// Returns an unused alias for a source or a table in SQL.
    mutating func nextAlias() -> String {
        defer { aliasCount += 1 }
        return "s\(aliasCount)"
    }

    /// Returns the indexes of a collection, other than full-text indexes, that queries can use.
    mutating func indexes(ofCollection number: Int) throws -> [PlannedIndex] {
        if let known = knownIndexes[number] { return known }
        let indexes = try catalogue.indexes(ofCollection: number)
        knownIndexes[number] = indexes
        return indexes
    }

    /// Returns the SQL of a parameter, such as ?1, and adds it to `parameters` if it is new.
    mutating func parameter(_ parameter: StatementParameter) -> String {
        if let index = parameters.firstIndex(of: parameter) { return "?\(index + 1)" }
        parameters.append(parameter)
        return "?\(parameters.count)"
    }

    /// Returns an SQL condition that is always true and counts the rows of a table; it must precede all other
    /// conditions. Nil if visited rows aren't counted.
    mutating func visit(_ alias: String, _ column: String) -> String? {
        guard let count = visited?.count else { return nil }
        visited?.append(alias)
        return "query_visited(\(parameter(.visits)), \(count), \(alias).\(column))"
    }

    // MARK: - Expressions

    /// Translates an expression to SQL for a query value.
    mutating func value(_ expression: Tree.Expression, _ scope: NameScope) throws -> String {
        try piece(expression, scope).value
    }

    /// Translates an expression to an SQL condition.
    mutating func condition(_ expression: Tree.Expression, _ scope: NameScope) throws -> String {
        try piece(expression, scope).truth
    }

    /// Translates an expression to a piece of SQL. Parts of a deeply nested expression get names, see `PartNames`.
    mutating func piece(_ expression: Tree.Expression, _ scope: NameScope) throws -> SQLPiece {
        assert(names.isInside || names.depth == 0, "an expression begins with an empty stack")
        let isWhole = !names.isInside
        if isWhole { names.enter(expression, scope) }
        let depth = names.depth
        defer {
            names.depth = depth
            if isWhole { names.leave() }
        }
        names.depth += expression.parserDepth
        guard names.depth > names.limit, try allowsNames() else {
            let piece = try direct(expression, scope)
            return isWhole ? names.around(piece) : piece
        }
        names.depth = 0
        let part = try direct(expression, scope)
        return names.name(part, nextAlias())
    }

    private mutating func direct(_ expression: Tree.Expression, _ scope: NameScope) throws -> SQLPiece {
        switch expression {
        case .literal(let literal): return try Self.literal(literal)
        case .path(let path): return try self.path(path, scope)
        case .star(let names, let position): return try star(names, scope, at: position)
        case .parameter(let name, let position):
            guard !name.isEmpty else { throw QueryFailure("the name of a parameter is empty", at: position) }
            return SQLPiece(parameter(.named(name)))
        case .array(let elements): return try call("query_array", elements, scope)
        case .object(let members): return try object(members, scope)
        case .property(let base, let steps): return try property(base, steps, scope)
        case .minus(let operand): return SQLPiece("query_negate(\(try value(operand, scope)))")
        case .not(let operand): return SQLPiece(try piece(operand, scope).negated, .truth)
        case .and(let terms): return try connected(terms, "AND", scope)
        case .or(let terms): return try connected(terms, "OR", scope)
        case .operation(let operation): return try self.operation(operation, scope)
        case .isValued(let operand, let isNegated):
            return SQLPiece("(ifnull(\(try value(operand, scope)) <> x'00', 0) = \(isNegated ? 0 : 1))", .truth)
        case .like(let like): return try self.like(like, scope)
        case .between(let between): return try self.between(between, scope)
        case .membership(let membership): return try self.membership(membership, scope)
        case .quantified(let quantified): return try self.quantified(quantified, scope)
        case .comprehension(let comprehension): return try self.comprehension(comprehension, scope)
        case .conditional(let conditional): return try self.conditional(conditional, scope)
        case .collate(let operand, let collation):
            let outer = self.collation
            self.collation = collation.name
            defer { self.collation = outer }
            return try piece(operand, scope)
        case .call(let call): return try self.call(call, scope)
        case .meta(let names, let position): return try meta(names, scope, at: position)
        case .match(let index, let query, let position): return try match(index, query, scope, at: position)
        case .rank(let index, let weights, let position): return try rank(index, weights, scope, at: position)
        case .exists(let query):
            return SQLPiece("EXISTS (\(try apart { try $0.query(query, scope).sql }))", .truth)
        case .subquery(let query): return try scalar(query, scope)
        }
    }

    private static func literal(_ literal: Literal) throws(QueryFailure) -> SQLPiece {
        switch literal {
        case .missing: .missing
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .number(let text): SQLPiece(SQLText.number(text), SQLText.isBig(text) ? .value : .number)
        case .string(let text): SQLPiece(SQLText.string(text), .text)
        case .unusable(let reason): throw QueryFailure(reason)
        }
    }

    /// Translates terms that AND or OR connects to a balanced tree of parentheses, because SQLite limits the depth of
    /// an expression.
    private mutating func connected(_ terms: [Tree.Expression], _ word: String, _ scope: NameScope) throws -> SQLPiece {
        assert(!terms.isEmpty, "AND and OR connect terms")
        let separator = SQLText.joined(" ", word, " ")
        var pieces: [String] = []
        pieces.reserveCapacity(terms.count)
        for term in terms { pieces.append(try condition(term, scope)) }
        while pieces.count > SQLText.argumentLimit {
            pieces = stride(from: 0, to: pieces.count, by: SQLText.argumentLimit).map { start in
                let part = pieces[start..<min(start + SQLText.argumentLimit, pieces.count)]
                return "(\(part.joined(separator: separator)))"
            }
        }
        var sql = "("
        sql.reserveCapacity(pieces.reduce(2) { $0 + $1.utf8.count + 5 })
        for (index, piece) in pieces.enumerated() {
            if index > 0 { sql += separator }
            sql += piece
        }
        sql += ")"
        return SQLPiece(sql, .truth)
    }

    /// Translates a scalar subquery: the value of the query's only column in its first row.
    private mutating func scalar(_ query: Tree.Query, _ scope: NameScope) throws -> SQLPiece {
        let translated = try apart { try $0.query(query, scope) }
        guard translated.columns.count == 1 else {
            throw QueryFailure(
                "a query that stands for a value must have one column; this one has \(translated.columns.count)")
        }
        return SQLPiece("(\(translated.sql))")
    }
}

extension Tree.Collation {
    /// The collation's name as an argument of SQL functions (Documentation/QueryFunctions.md); nil for the comparison
    /// of bytes.
    var name: String? {
        guard unicode == true else { return caseSensitive == false ? "nocase" : nil }
        let flags = (caseSensitive == false ? "-nocase" : "") + (diacriticSensitive == false ? "-nodiac" : "")
        return "unicode" + flags + (locale.map { ":\($0)" } ?? "")
    }
}

/// A query that was translated to SQL.
struct TranslatedQuery {
    var sql: String
    /// The names of the result's columns; in SQL, the columns are named c0, c1 and so on.
    var columns: [String]
    /// A Boolean value that says whether each row is the value of its only column: `SELECT VALUE`.
    var isValue: Bool
    /// The names of the SQL's columns before a last one, `nearest`, by which its rows must be sorted once LIMIT has taken
    /// effect: a search by vectors goes on in further lists, which may have nearer documents. Nil if they are sorted.
    var nearestColumns: [String]?
}

/// A parameter of the SQL statement to which a statement of SQL++ is translated.
enum StatementParameter: Sendable, Equatable {
    /// A parameter of the SQL++ statement, with its name without the `$`.
    case named(String)
    /// The time at which an execution of the statement begins, in milliseconds since 1970: the value of `NOW_MILLIS()`.
    case time
    /// The counters of visited rows (`RowVisits`) of a measured execution.
    case visits

    /// The name of a parameter of the SQL++ statement; nil for other parameters.
    var name: String? { if case .named(let name) = self { name } else { nil } }
}
