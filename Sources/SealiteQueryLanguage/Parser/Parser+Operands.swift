extension Parser {
    /// Parses an operand and the path steps after it.
    mutating func postfix() throws(QuerySyntaxError) -> ExpressionTree {
        let base = try operand()
        guard current.kind == .dot || current.kind == .leftBracket else { return base }
        // `(a.b).c` is the path `a.b.c`.
        return switch base {
        case .path(let path): .property(of: base, try steps(after: path.steps.count))
        case .property(_, let first): .property(of: base, try steps(after: first.count))
        default: .property(of: base, try steps())
        }
    }

    private mutating func operand() throws(QuerySyntaxError) -> ExpressionTree {
        expect(.expression)
        let token = current
        switch token.kind {
        case .integer, .decimal, .minus: return try number()
        case .string:
            advance()
            return .literal(.string(text(of: token)))
        case .parameter:
            let position = position
            advance()
            return .parameter(text(of: token), position)
        case .leftParenthesis: return try parenthesised()
        case .leftBracket: return try array()
        case .leftBrace: return try object()
        case .quotedName: return try path()
        case .word: return try word()
        case .plus: throw error(at: token, "there is no unary operator +")
        default: throw failure()
        }
    }

    /// Parses an operand that begins with a word: a constant, CASE, ANY, ARRAY, FIRST, a call or a path.
    private mutating func word() throws(QuerySyntaxError) -> ExpressionTree {
        switch current.keyword {
        case .null: return literal(.null)
        case .missing: return literal(.missing)
        case .true: return literal(.boolean(true))
        case .false: return literal(.boolean(false))
        case .case: return try conditional()
        case .any, .every: return try quantified()
        case .some where token(1).keyword == .and || (token(1).isName && token(2).keyword == .in):
            return try quantified()
        case .array where startsComprehension: return try comprehension(.array)
        case .first where startsComprehension: return try comprehension(.first)
        case let keyword? where keyword.isReserved: throw failure()
        default: return token(1).kind == .leftParenthesis ? try call() : try path()
        }
    }

    private mutating func literal(_ literal: Literal) -> ExpressionTree {
        advance()
        return .literal(literal)
    }

    /// Parses a number with an optional minus immediately before it, and converts it to JSON syntax.
    private mutating func number() throws(QuerySyntaxError) -> ExpressionTree {
        let isNegative = accept(.minus)
        expect(.decimal)
        guard current.kind == .integer || current.kind == .decimal else { throw failure() }
        let digits = bytes[Int(current.start)..<Int(current.end)]
        let isPlain = !isNegative && current.kind == .integer && digits.first != UInt8(ascii: "0")
        let text = isPlain ? String(decoding: digits, as: UTF8.self) : Self.json(digits, isNegative: isNegative)
        advance()
        return .literal(.number(text))
    }

    /// Returns a number in JSON syntax: without leading zeros, and with digits on both sides of the decimal point.
    private static func json(_ digits: ArraySlice<UInt8>, isNegative: Bool) -> String {
        let (zero, point) = (UInt8(ascii: "0"), UInt8(ascii: "."))
        var rest = digits
        while rest.first == zero, let next = rest.dropFirst().first, next.isDigit { rest.removeFirst() }
        var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        text.reserveCapacity(rest.count + 3)
        if rest.first == point { text.append(zero) }
        while let byte = rest.popFirst() {
            text.append(byte)
            if byte == point, rest.first?.isDigit != true { text.append(zero) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: Parentheses, arrays, objects

    mutating func parenthesised() throws(QuerySyntaxError) -> ExpressionTree {
        advance()
        if startsQuery {
            let query = try query()
            try take(.rightParenthesis)
            return .subquery(query)
        }
        let inner = try expression()
        let query = try query(continuing: inner)
        try take(.rightParenthesis)
        return query.map { .subquery($0) } ?? inner
    }

    /// Parses the rest of `(SELECT …) UNION …` after the parentheses, whose content is `first`; nil if this isn't a
    /// subquery, or if no set operation, order or limit follows. Only the token after the parentheses distinguishes
    /// such a query from an expression.
    mutating func query(continuing first: ExpressionTree) throws(QuerySyntaxError) -> QueryTree? {
        guard case .subquery(let first) = first, continuesQuery else { return nil }
        return try query(after: .query(first)).simplified
    }

    private mutating func array() throws(QuerySyntaxError) -> ExpressionTree {
        let start = current
        advance()
        if accept(.rightBracket) { return .array([]) }
        let elements = try list { (parser) throws(QuerySyntaxError) in try parser.expression() }
        try take(.rightBracket)
        try check(elements.count, start, "an array literal has more than \(QueryLimits.arguments) elements")
        return .array(elements)
    }

    private mutating func object() throws(QuerySyntaxError) -> ExpressionTree {
        let start = current
        advance()
        if accept(.rightBrace) { return .object([]) }
        let members = try list { (parser) throws(QuerySyntaxError) in
            let name = parser.current
            try parser.take(.string)
            try parser.take(.colon)
            return LiteralMember(parser.text(of: name), try parser.expression())
        }
        try take(.rightBrace)
        try check(members.count, start, "an object literal has more than \(QueryLimits.arguments) members")
        return .object(members)
    }

    func check(_ count: Int, _ token: Token, _ reason: String) throws(QuerySyntaxError) {
        if count > QueryLimits.arguments { throw error(at: token, reason) }
    }

    // MARK: CASE, ANY, ARRAY

    private mutating func conditional() throws(QuerySyntaxError) -> ExpressionTree {
        advance()
        let operand = isAt(.when) ? nil : try expression()
        var branches: [Conditional.Branch] = []
        while branches.isEmpty || isAt(.when) {
            try take(.when)
            let condition = try expression()
            try take(.then)
            branches.append(.init(when: condition, then: try expression()))
        }
        let otherwise = accept(.else) ? try expression() : nil
        try take(.end)
        return .conditional(Conditional(operand, branches, otherwise: otherwise))
    }

    private mutating func quantified() throws(QuerySyntaxError) -> ExpressionTree {
        var quantifier = current.keyword == .every ? Quantified.Quantifier.every : .any
        advance()
        if quantifier == .any, accept(.and) {
            try take(.every)
            quantifier = .anyAndEvery
        }
        let variable = try takeName()
        try take(.in)
        let collection = try expression()
        try take(.satisfies)
        let condition = try expression()
        try take(.end)
        return .quantified(Quantified(quantifier, variable, in: collection, satisfies: condition))
    }

    /// Parses an expression after ARRAY, FIRST or VALUE. It counts as one level of nesting even without parentheses, since the
    /// printer may add them.
    mutating func delimitedExpression() throws(QuerySyntaxError) -> ExpressionTree {
        if startsWholeInParentheses { return try expression() }
        return try nested { (parser) throws(QuerySyntaxError) in try parser.expression() }
    }

    private mutating func comprehension(_ kind: Comprehension.Kind) throws(QuerySyntaxError) -> ExpressionTree {
        advance()
        let element = try delimitedExpression()
        try take(.for)
        let variable = try takeName()
        try take(.in)
        let collection = try expression()
        let condition = accept(.when) ? try expression() : nil
        try take(.end)
        return .comprehension(Comprehension(element, for: variable, in: collection, when: condition, kind: kind))
    }
}

extension Parser {
    /// Parses a name and the path steps after it.
    mutating func path() throws(QuerySyntaxError) -> ExpressionTree {
        let position = position
        let root = try takeName()
        return .path(Path(root, try steps(), at: position))
    }

    /// Parses an expression, or `*` or `a.*`, where the star stands for all properties of a source or an object.
    mutating func starOrExpression() throws(QuerySyntaxError) -> ExpressionTree {
        let position = position
        var names: [String] = []
        var distance = 0
        while token(distance).isName, token(distance + 1).kind == .dot, names.count < QueryLimits.pathSteps {
            names.append(text(of: token(distance)))
            distance += 2
        }
        guard token(distance).kind == .star else { return try expression() }
        for _ in 0...distance { advance() }
        return .star(names, position)
    }

    /// Parses any number of the steps `.name`, `[0]`, `[1:3]` and `[*]`, also none. `count` is the number of steps that
    /// already precede them in the path, for the limit on a path's steps.
    mutating func steps(after count: Int = 0) throws(QuerySyntaxError) -> [PathStep] {
        var steps: [PathStep] = []
        while current.kind == .dot || current.kind == .leftBracket {
            steps.append(try step())
            if count + steps.count > QueryLimits.pathSteps {
                throw error(at: current, "a path has more than \(QueryLimits.pathSteps) steps")
            }
        }
        return steps
    }

    /// Parses the path of an array index: paths separated by `[].`.
    mutating func arrayPath() throws(QuerySyntaxError) -> ArrayPath {
        var levels: [Path] = []
        var count = 0
        while true {
            let position = position
            var path = Path(try takeName(), at: position)
            while current.kind == .dot || (current.kind == .leftBracket && token(1).kind != .rightBracket) {
                path.steps.append(try step())
            }
            levels.append(path)
            count += 1 + path.steps.count
            if count > QueryLimits.pathSteps {
                throw error(at: current, "a path has more than \(QueryLimits.pathSteps) steps")
            }
            guard accept(.leftBracket) else { return ArrayPath(levels) }
            try take(.rightBracket)
            try take(.dot)
        }
    }

    /// Parses `.name`, or an index, a slice or a star in brackets.
    private mutating func step() throws(QuerySyntaxError) -> PathStep {
        if accept(.dot) { return .name(try takeName()) }
        try take(.leftBracket)
        return try bracketed()
    }

    /// Parses an index, a slice or a star after its opening bracket, and the closing bracket.
    private mutating func bracketed() throws(QuerySyntaxError) -> PathStep {
        if accept(.star) {
            try take(.rightBracket)
            return .star
        }
        let first = try indexNumber()
        if accept(.colon) {
            let last = try indexNumber()
            try take(.rightBracket)
            return .slice(from: first, to: last)
        }
        guard let first else { throw failure() }
        try take(.rightBracket)
        return .index(first)
    }

    /// Parses the number of an index or of a slice's bound; nil if there is none.
    private mutating func indexNumber() throws(QuerySyntaxError) -> Int64? {
        let start = current
        let isNegative = accept(.minus)
        let digits = current
        guard accept(.integer) else {
            if isNegative { throw failure() }
            return nil
        }
        guard let index = Int64((isNegative ? "-" : "") + text(of: digits)) else {
            throw error(at: start, "an array index doesn't fit into 64 bits")
        }
        return index
    }

    /// Parses one to three names separated by dots, as in META(…) and MATCH(…): `a`, `scope.coll`.
    mutating func sourceNames() throws(QuerySyntaxError) -> [String] {
        var names = [try takeName()]
        while accept(.dot) {
            names.append(try takeName())
            if names.count > 3 {
                throw error(
                    at: current, "at most three names can be joined by dots here, as in scope.collection.index")
            }
        }
        return names
    }
}
