extension Parser {
    /// Parses a comparison. The operators `=`, `!=` and IS form chains. LIKE, BETWEEN, IN, IS VALUED and NOT NULL
    /// don't: their left operand can't contain an `=` or IS outside of parentheses, and the comparison ends with them.
    mutating func comparison() throws(QuerySyntaxError) -> Expression {
        let left = try binary(.relation)
        let isNegated = current.keyword == .not
        switch (isNegated ? token(1) : current).keyword {
        case .like: return try like(left, isNegated)
        case .between: return try between(left, isNegated)
        case .in: return try membership(left, isNegated)
        case .null where isNegated:
            skip(2)
            return .operation(left, .isNot, .literal(.null))
        case .is where !isNegated && isAtValued: return isValued(left)
        default: return isNegated ? try nothing() : try equality(left)
        }
    }

    /// Parses the rest of a chain of `=`, `!=`, IS and IS NOT after its first operand; returns the operand if there is
    /// no chain.
    private mutating func equality(_ left: Expression) throws(QuerySyntaxError) -> Expression {
        let chain = try operations(after: left, .equality)
        guard current.kind != .bitOperator else {
            throw error(
                at: current, "operator \(found(current)) does not exist", hint: "there are no bitwise operators")
        }
        return chain
    }

    /// Throws the error for a NOT that follows an operand and doesn't begin NOT LIKE, NOT BETWEEN, NOT IN or NOT NULL;
    /// never returns.
    private mutating func nothing() throws(QuerySyntaxError) -> Expression {
        advance()
        for keyword in [Keyword.like, .between, .in, .null] { _ = isAt(keyword) }
        throw failure()
    }

    /// A Boolean value that says whether the current token, an IS, begins IS VALUED or IS NOT VALUED.
    private var isAtValued: Bool { token(token(1).keyword == .not ? 2 : 1).keyword == .valued }

    private mutating func isValued(_ left: Expression) -> Expression {
        let isNegated = token(1).keyword == .not
        skip(isNegated ? 3 : 2)
        return .isValued(left, isNegated: isNegated)
    }

    private mutating func skip(_ count: Int) {
        for _ in 0..<count { advance() }
    }

    private mutating func like(_ left: Expression, _ isNegated: Bool) throws(QuerySyntaxError) -> Expression {
        skip(isNegated ? 2 : 1)
        let pattern = try binary(.relation)
        let escape = accept(.escape) ? try binary(.relation) : nil
        return .like(Like(left, pattern, escape: escape, isNegated: isNegated))
    }

    private mutating func between(_ left: Expression, _ isNegated: Bool) throws(QuerySyntaxError) -> Expression {
        skip(isNegated ? 2 : 1)
        let lower = try binary(.relation)
        try take(.and)
        return .between(Between(left, lower, try binary(.relation), isNegated: isNegated))
    }

    private mutating func membership(_ left: Expression, _ isNegated: Bool) throws(QuerySyntaxError) -> Expression {
        skip(isNegated ? 2 : 1)
        return .membership(Membership(left, try candidates(), isNegated: isNegated))
    }

    /// Parses the right side of IN: a list in parentheses or brackets, a subquery, or one operand.
    private mutating func candidates() throws(QuerySyntaxError) -> Membership.Candidates {
        let closing: Token.Kind
        switch current.kind {
        case .leftParenthesis:
            advance()
            if startsQuery {
                let query = try query()
                try take(.rightParenthesis)
                return .elements(.property(of: .subquery(query), try steps()))
            }
            closing = .rightParenthesis
        case .leftBracket:
            advance()
            closing = .rightBracket
        default:
            return .elements(try postfix())
        }
        if accept(closing) { return .list([]) }
        let values = try list { (parser) throws(QuerySyntaxError) in try parser.expression() }
        let query = closing == .rightParenthesis && values.count == 1 ? try query(continuing: values[0]) : nil
        try take(closing)
        if let query { return .elements(.property(of: .subquery(query), try steps())) }
        return .list(values)
    }
}
