extension Parser {
    /// Parses a query with its optional WITH clause.
    mutating func query() throws(QuerySyntaxError) -> QueryTree {
        try nested { (parser) throws(QuerySyntaxError) in
            var commonTables: [CommonTable] = []
            var isRecursive = false
            if parser.startsWith {
                parser.advance()
                isRecursive = parser.token(1).keyword != .as && parser.accept(.recursive)
                commonTables = try parser.list { (parser) throws(QuerySyntaxError) in try parser.commonTable() }
            }
            var query = try parser.query(after: try parser.queryOperand())
            query.commonTables = commonTables
            query.isRecursive = isRecursive
            return query.simplified
        }
    }

    private mutating func commonTable() throws(QuerySyntaxError) -> CommonTable {
        let position = position
        let name = try takeName()
        try take(.as)
        try take(.leftParenthesis)
        let query = try query()
        try take(.rightParenthesis)
        return CommonTable(name: name, query: query, position: position)
    }

    /// Parses one SELECT, or a query in parentheses.
    private mutating func queryOperand() throws(QuerySyntaxError) -> QueryOperand {
        if isAt(.select) { return .select(try select()) }
        expect(.query)
        guard accept(.leftParenthesis) else { throw failure() }
        let query = try query()
        try take(.rightParenthesis)
        return .query(query)
    }

    /// Parses the set operations, ORDER BY, LIMIT and OFFSET that follow the first operand of a query.
    mutating func query(after first: QueryOperand) throws(QuerySyntaxError) -> QueryTree {
        var query = QueryTree(first)
        while true {
            for keyword in [Keyword.union, .intersect, .except] { _ = isAt(keyword) }
            guard startsCombination, let op = current.keyword.flatMap({ Combination.Operator(rawValue: $0.text) })
            else { break }
            let position = position
            advance()
            let isAll = accept(.all)
            query.combinations.append(
                Combination(op: op, isAll: isAll, operand: try queryOperand(), position: position))
        }
        query.order = try order()
        try limits(&query)
        return query
    }

    private mutating func limits(_ query: inout QueryTree) throws(QuerySyntaxError) {
        if accept(.limit) {
            query.limit = try count("LIMIT")
            if accept(.offset) { query.offset = try count("OFFSET") }
        } else if accept(.offset) {
            query.offset = try count("OFFSET")
            if accept(.limit) { query.limit = try count("LIMIT") }
        }
    }

    /// Parses the expression of LIMIT or OFFSET; if it is a literal, it must be an integer.
    mutating func count(_ clause: String) throws(QuerySyntaxError) -> ExpressionTree {
        let start = current
        let count = try expression()
        if case .literal(let literal) = count, !literal.isInteger {
            throw error(at: start, "\(clause) must be an integer")
        }
        return count
    }

    /// Parses ORDER BY; returns an empty list if there is none.
    mutating func order() throws(QuerySyntaxError) -> [OrderTerm] {
        guard accept(.order) else { return [] }
        try take(.by)
        return try list { (parser) throws(QuerySyntaxError) in
            let position = parser.position
            var term = OrderTerm(try parser.expression(), at: position)
            if parser.accept(.asc) {
                term.direction = .ascending
            } else if parser.accept(.desc) {
                term.direction = .descending
            }
            if parser.accept(.nulls) {
                if parser.accept(.first) {
                    term.nulls = .first
                } else {
                    try parser.take(.last)
                    term.nulls = .last
                }
            }
            return term
        }
    }

    // MARK: SELECT

    private mutating func select() throws(QuerySyntaxError) -> SelectTree {
        advance()
        var isDistinct = false
        if accept(.distinct) {
            isDistinct = true
        } else if current.keyword == .all, startsExpressionBehindWord || token(1).kind == .star {
            advance()
        }
        var select = SelectTree(try projection(), isDistinct: isDistinct)
        select.from = try from()
        if current.keyword == .let, token(1).isName { select.bindings = try bindings() }
        if accept(.where) { select.condition = try expression() }
        if accept(.group) {
            try take(.by)
            select.groupPosition = position
            select.groups = try list { (parser) throws(QuerySyntaxError) in try parser.expression() }
            if accept(.having) { select.groupCondition = try expression() }
        }
        return select
    }

    /// Parses the results of SELECT or RETURNING: columns, or `VALUE a`.
    mutating func projection() throws(QuerySyntaxError) -> Projection {
        if current.keyword == .value || current.keyword == .raw, startsExpressionBehindWord {
            advance()
            let position = position
            return .value(ResultColumn(try delimitedExpression(), as: try alias(), at: position))
        }
        return .columns(try list { (parser) throws(QuerySyntaxError) in try parser.resultColumn() })
    }

    private mutating func resultColumn() throws(QuerySyntaxError) -> ResultColumn {
        let position = position
        let expression = try starOrExpression()
        return ResultColumn(expression, as: try alias(), at: position)
    }

    private mutating func bindings() throws(QuerySyntaxError) -> [Binding] {
        advance()
        return try list { (parser) throws(QuerySyntaxError) in
            let position = parser.position
            let name = try parser.takeName()
            try parser.take(.equal)
            return Binding(name: name, value: try parser.expression(), position: position)
        }
    }
}

extension QueryTree {
    /// A Boolean value that says whether the query consists of its first operand alone, without WITH, set operations,
    /// ORDER BY, LIMIT and OFFSET.
    private var isPlain: Bool {
        combinations.isEmpty && commonTables.isEmpty && order.isEmpty && limit == nil && offset == nil
    }

    /// The query without redundant parentheses: around a single SELECT, or around the whole query.
    var simplified: QueryTree {
        var query = self
        query.first = first.simplified
        for index in combinations.indices { query.combinations[index].operand = combinations[index].operand.simplified }
        if query.isPlain, case .query(let inner) = query.first { return inner }
        return query
    }
}

extension QueryOperand {
    fileprivate var simplified: QueryOperand {
        guard case .query(let query) = self, QueryTree(query.first) == query else { return self }
        return query.first
    }
}

extension Parser {
    /// Parses the FROM clause with its joins; nil if there is none.
    mutating func from() throws(QuerySyntaxError) -> FromClause? {
        guard accept(.from) else { return nil }
        var from = FromClause(try source())
        while let join = try join() { from.joins.append(join) }
        return from
    }

    private mutating func source() throws(QuerySyntaxError) -> Source {
        if accept(.leftParenthesis) {
            let query = try query()
            try take(.rightParenthesis)
            let start = current
            guard let alias = try alias() else { throw error(at: start, "a subquery in FROM needs an alias") }
            return .subquery(query, alias: alias)
        }
        let name = try collectionName()
        return .collection(name, alias: try alias())
    }

    mutating func collectionName() throws(QuerySyntaxError) -> CollectionName {
        let position = position
        let first = try takeName()
        guard accept(.dot) else { return CollectionName(first, at: position) }
        return CollectionName(scope: first, try takeName(), at: position)
    }

    /// Parses an alias, with AS or without; returns nil if there is none.
    mutating func alias() throws(QuerySyntaxError) -> String? {
        if accept(.as) { return try takeName() }
        return startsBareAlias ? try takeBareAlias() : nil
    }

    private mutating func join() throws(QuerySyntaxError) -> JoinClause? {
        if accept(.unnest) { return try unnest(isLeft: false) }
        if accept(.cross) {
            try take(.join)
            let source = try source()
            if current.keyword == .on { throw error(at: current, "CROSS JOIN cannot accept an ON clause") }
            return .cross(source)
        }
        var kind = JoinClause.Kind.inner
        if accept(.left) {
            _ = accept(.outer)
            if accept(.unnest) { return try unnest(isLeft: true) }
            kind = .left
            try take(.join)
        } else if accept(.right) {
            _ = accept(.outer)
            kind = .right
            try take(.join)
        } else if accept(.inner) {
            if accept(.unnest) { return try unnest(isLeft: false) }
            try take(.join)
        } else if !accept(.join) {
            return nil
        }
        let source = try source()
        guard isAt(.on) else {
            throw [.endOfText, .invalid, .rightParenthesis].contains(current.kind)
                || current.keyword?.isReserved == true
                ? error(at: current, "missing ON for JOIN") : failure()
        }
        advance()
        return .join(kind, source, on: try expression())
    }

    private mutating func unnest(isLeft: Bool) throws(QuerySyntaxError) -> JoinClause {
        let start = current
        guard case .path(let path) = try expression() else {
            throw error(at: start, "UNNEST takes only a property path, such as a.items, and no other expression")
        }
        return .unnest(path, alias: try alias(), isLeft: isLeft)
    }
}
