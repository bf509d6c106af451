extension Parser {
    /// Parses an expression of any kind, with an optional COLLATE after it.
    mutating func expression() throws(QuerySyntaxError) -> ExpressionTree {
        try nested { (parser) throws(QuerySyntaxError) in
            let operand = try parser.disjunction()
            guard parser.accept(.collate) else { return operand }
            return .collate(operand, try parser.collation())
        }
    }

    private mutating func disjunction() throws(QuerySyntaxError) -> ExpressionTree {
        let first = try conjunction()
        guard isAt(.or) else { return first }
        var terms = if case .or(let inner) = first { inner } else { [first] }
        while accept(.or) { terms.append(try conjunction()) }
        return .or(terms)
    }

    private mutating func conjunction() throws(QuerySyntaxError) -> ExpressionTree {
        let first = try negation()
        guard isAt(.and) else { return first }
        var terms = if case .and(let inner) = first { inner } else { [first] }
        while accept(.and) { terms.append(try negation()) }
        return .and(terms)
    }

    /// Parses a comparison, optionally preceded by NOT, which negates the whole comparison: `NOT a = b`.
    private mutating func negation() throws(QuerySyntaxError) -> ExpressionTree {
        guard current.keyword == .not else { return try comparison() }
        return try nested { (parser) throws(QuerySyntaxError) in
            parser.advance()
            return .not(try parser.negation())
        }
    }

    // MARK: Binary operators

    /// Parses a chain of binary operators whose precedence is at least `level`; operators of equal precedence associate
    /// to the left.
    mutating func binary(_ level: Precedence) throws(QuerySyntaxError) -> ExpressionTree {
        try operations(after: try prefix(), level)
    }

    /// Parses the rest of a chain of binary operators whose precedence is at least `level`, after its first operand;
    /// returns the operand if there is no operator.
    mutating func operations(after first: ExpressionTree, _ level: Precedence) throws(QuerySyntaxError)
        -> ExpressionTree
    {
        var left = first
        while let op = binaryOperator(), op.level >= level {
            var links: [OperationLink] = []
            while let next = binaryOperator(), next.level == op.level {
                skip(next == .isNot ? 2 : 1)
                links.append(OperationLink(next, try binary(op.level.tighter)))
            }
            left = .operation(left, links)
        }
        return left
    }

    /// Returns the binary operator at the current token, except the IS of IS VALUED; nil if there is none.
    private mutating func binaryOperator() -> BinaryOperator? {
        expect(.operation)
        switch current.kind {
        case .equal: return .equal
        case .notEqual: return .notEqual
        case .less: return .less
        case .lessOrEqual: return .lessOrEqual
        case .greater: return .greater
        case .greaterOrEqual: return .greaterOrEqual
        case .plus: return .add
        case .minus: return .subtract
        case .star: return .multiply
        case .slash: return .divide
        case .percent: return .remainder
        case .bars: return .concatenate
        case .word where current.keyword == .is:
            let isNegated = token(1).keyword == .not
            return token(isNegated ? 2 : 1).keyword == .valued ? nil : isNegated ? .isNot : .is
        default: return nil
        }
    }

    // MARK: Prefix operators

    /// Parses an operand, optionally preceded by minus signs, or by a NOT that follows a binary operator: NOT then
    /// applies to one operand only.
    private mutating func prefix() throws(QuerySyntaxError) -> ExpressionTree {
        if current.keyword == .not {
            return try nested(levels: 2) { (parser) throws(QuerySyntaxError) in
                parser.advance()
                return .not(try parser.prefix())
            }
        }
        guard current.kind == .minus else { return try postfix() }
        // A minus is part of a number only if it immediately precedes the number.
        if token(1).start == current.end, token(1).kind == .integer || token(1).kind == .decimal {
            return try postfix()
        }
        return try nested { (parser) throws(QuerySyntaxError) in
            parser.advance()
            return .minus(try parser.prefix())
        }
    }

    // MARK: Collations

    /// Parses the collation after COLLATE: one word, or several in parentheses.
    private mutating func collation() throws(QuerySyntaxError) -> CollateClause {
        var collation = CollateClause()
        if accept(.leftParenthesis) {
            repeat { try collationWord(&collation) } while !accept(.rightParenthesis)
        } else {
            try collationWord(&collation)
            if current.kind == .word, Self.collationWords.contains(text(of: current).uppercased()) {
                throw error(at: current, "a collation of several words must be in parentheses")
            }
        }
        return collation
    }

    private static let collationWords = ["UNICODE", "NOUNICODE", "CASE", "NOCASE", "DIAC", "NODIAC"]

    private mutating func collationWord(_ collation: inout CollateClause) throws(QuerySyntaxError) {
        let word = current.kind == .word ? text(of: current) : ""
        switch word.uppercased() {
        case "UNICODE": collation.unicode = true
        case "NOUNICODE": collation.unicode = false
        case "CASE": collation.caseSensitive = true
        case "NOCASE": collation.caseSensitive = false
        case "DIAC": collation.diacriticSensitive = true
        case "NODIAC": collation.diacriticSensitive = false
        default:
            if current.kind == .invalid { throw failure() }
            throw error(
                at: current, "expected \(alternatives(Self.collationWords)), found \(found(current))",
                nearest: NearestName.to(word, among: Self.collationWords))
        }
        let mayHaveLocale = word.uppercased() == "UNICODE"
        advance()
        guard mayHaveLocale, accept(.colon) else { return }
        expect(.word)
        // A locale may be spelled like a reserved word: `is`, `in`, `as`.
        guard current.kind == .word else { throw failure() }
        collation.locale = text(of: current)
        advance()
    }
}

extension Parser {
    /// Parses a comparison. The operators `=`, `!=` and IS form chains. LIKE, BETWEEN, IN, IS VALUED and NOT NULL
    /// don't: their left operand can't contain an `=` or IS outside of parentheses, and the comparison ends with them.
    mutating func comparison() throws(QuerySyntaxError) -> ExpressionTree {
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
    private mutating func equality(_ left: ExpressionTree) throws(QuerySyntaxError) -> ExpressionTree {
        let chain = try operations(after: left, .equality)
        guard current.kind != .bitOperator else {
            throw error(
                at: current, "operator \(found(current)) does not exist", hint: "there are no bitwise operators")
        }
        return chain
    }

    /// Throws the error for a NOT that follows an operand and doesn't begin NOT LIKE, NOT BETWEEN, NOT IN or NOT NULL;
    /// never returns.
    private mutating func nothing() throws(QuerySyntaxError) -> ExpressionTree {
        advance()
        for keyword in [Keyword.like, .between, .in, .null] { _ = isAt(keyword) }
        throw failure()
    }

    /// A Boolean value that says whether the current token, an IS, begins IS VALUED or IS NOT VALUED.
    private var isAtValued: Bool { token(token(1).keyword == .not ? 2 : 1).keyword == .valued }

    private mutating func isValued(_ left: ExpressionTree) -> ExpressionTree {
        let isNegated = token(1).keyword == .not
        skip(isNegated ? 3 : 2)
        return .isValued(left, isNegated: isNegated)
    }

    private mutating func skip(_ count: Int) {
        for _ in 0..<count { advance() }
    }

    private mutating func like(_ left: ExpressionTree, _ isNegated: Bool) throws(QuerySyntaxError) -> ExpressionTree {
        skip(isNegated ? 2 : 1)
        let pattern = try binary(.relation)
        let escape = accept(.escape) ? try binary(.relation) : nil
        return .like(Like(left, pattern, escape: escape, isNegated: isNegated))
    }

    private mutating func between(_ left: ExpressionTree, _ isNegated: Bool) throws(QuerySyntaxError) -> ExpressionTree
    {
        skip(isNegated ? 2 : 1)
        let lower = try binary(.relation)
        try take(.and)
        return .between(Between(left, lower, try binary(.relation), isNegated: isNegated))
    }

    private mutating func membership(_ left: ExpressionTree, _ isNegated: Bool) throws(QuerySyntaxError)
        -> ExpressionTree
    {
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
