extension Parser {
    /// Parses an expression of any kind, with an optional COLLATE after it.
    mutating func expression() throws(QuerySyntaxError) -> Expression {
        try nested { (parser) throws(QuerySyntaxError) in
            let operand = try parser.disjunction()
            guard parser.accept(.collate) else { return operand }
            return .collate(operand, try parser.collation())
        }
    }

    private mutating func disjunction() throws(QuerySyntaxError) -> Expression {
        let first = try conjunction()
        guard isAt(.or) else { return first }
        var terms = if case .or(let inner) = first { inner } else { [first] }
        while accept(.or) { terms.append(try conjunction()) }
        return .or(terms)
    }

    private mutating func conjunction() throws(QuerySyntaxError) -> Expression {
        let first = try negation()
        guard isAt(.and) else { return first }
        var terms = if case .and(let inner) = first { inner } else { [first] }
        while accept(.and) { terms.append(try negation()) }
        return .and(terms)
    }

    /// Parses a comparison, optionally preceded by NOT, which negates the whole comparison: `NOT a = b`.
    private mutating func negation() throws(QuerySyntaxError) -> Expression {
        guard current.keyword == .not else { return try comparison() }
        return try nested { (parser) throws(QuerySyntaxError) in
            parser.advance()
            return .not(try parser.negation())
        }
    }

    // MARK: Binary operators

    /// Parses a chain of binary operators whose precedence is at least `level`; operators of equal precedence associate
    /// to the left.
    mutating func binary(_ level: Precedence) throws(QuerySyntaxError) -> Expression {
        try operations(after: try prefix(), level)
    }

    /// Parses the rest of a chain of binary operators whose precedence is at least `level`, after its first operand;
    /// returns the operand if there is no operator.
    mutating func operations(after first: Expression, _ level: Precedence) throws(QuerySyntaxError) -> Expression {
        var left = first
        while let op = binaryOperator(), op.level >= level {
            var links: [OperationLink] = []
            while let next = binaryOperator(), next.level == op.level {
                takeOperator(next)
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

    private mutating func takeOperator(_ op: BinaryOperator) {
        advance()
        if op == .isNot { advance() }
    }

    // MARK: Prefix operators

    /// Parses an operand, optionally preceded by minus signs, or by a NOT that follows a binary operator: NOT then
    /// applies to one operand only.
    private mutating func prefix() throws(QuerySyntaxError) -> Expression {
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
    private mutating func collation() throws(QuerySyntaxError) -> Collation {
        var collation = Collation()
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

    private mutating func collationWord(_ collation: inout Collation) throws(QuerySyntaxError) {
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
