extension Parser {
    /// Parses a call: of a function in the table, or one that the grammar defines, such as MATCH.
    mutating func call() throws(QuerySyntaxError) -> ExpressionTree {
        switch current.keyword {
        case .meta: return try meta()
        case .match: return try match()
        case .rank where token(2).kind != .rightParenthesis: return try rank()
        case .exists: return try exists()
        case .prediction: throw error(at: current, "PREDICTION is not supported")
        default: return try function()
        }
    }

    private mutating func meta() throws(QuerySyntaxError) -> ExpressionTree {
        let position = position
        skipNameAndParenthesis()
        let names = isAt(.rightParenthesis) ? [] : try sourceNames()
        try take(.rightParenthesis)
        return .meta(names, position)
    }

    private mutating func match() throws(QuerySyntaxError) -> ExpressionTree {
        let position = position
        skipNameAndParenthesis()
        let index = try sourceNames()
        try take(.comma)
        let query = try expression()
        try take(.rightParenthesis)
        return .match(index: index, query: query, position)
    }

    private mutating func rank() throws(QuerySyntaxError) -> ExpressionTree {
        let position = position
        skipNameAndParenthesis()
        let index = try sourceNames()
        var weights: [ExpressionTree] = []
        while accept(.comma) { weights.append(try expression()) }
        guard weights.count <= QueryLimits.arguments else {
            throw error(at: current, "RANK has more than \(QueryLimits.arguments) weights")
        }
        try take(.rightParenthesis)
        return .rank(index: index, weights: weights, position)
    }

    private mutating func exists() throws(QuerySyntaxError) -> ExpressionTree {
        advance()
        let start = current
        guard case .subquery(let query) = try parenthesised() else {
            throw error(at: start, "EXISTS must be followed by a subquery in parentheses")
        }
        return .exists(query)
    }

    private mutating func skipNameAndParenthesis() {
        advance()
        advance()
    }

    // MARK: Functions

    private mutating func function() throws(QuerySyntaxError) -> ExpressionTree {
        let start = current
        let signature = try signature()
        let position = position
        skipNameAndParenthesis()
        let isDistinct = signature.kind == .aggregate && accept(.distinct)
        let arguments = isAt(.rightParenthesis) ? [] : try arguments(of: signature, isDistinct: isDistinct)
        try check(arguments.count, of: signature, isDistinct, start)
        try take(.rightParenthesis)
        let call = FunctionCall(signature.name, arguments, isDistinct: isDistinct, at: position)
        return .call(signature.kind == .scalar ? call : try suffixed(call, signature.kind))
    }

    /// Returns the function whose name is the current token, in any case; throws an error for an unknown name.
    private func signature() throws(QuerySyntaxError) -> FunctionSignature {
        let name = text(of: current)
        if let signature = FunctionSignature.named(name) { return signature }
        throw error(
            at: current, "there is no function \(short(name))()", nearest: FunctionSignature.nearestName(to: name))
    }

    private mutating func arguments(
        of signature: FunctionSignature, isDistinct: Bool
    ) throws(QuerySyntaxError) -> [ExpressionTree] {
        let mayBeStar = signature.kind == .aggregate && !isDistinct
        return try list { (parser) throws(QuerySyntaxError) in
            try mayBeStar ? parser.starOrExpression() : parser.expression()
        }
    }

    private func check(
        _ count: Int, of signature: FunctionSignature, _ isDistinct: Bool, _ start: Token
    ) throws(QuerySyntaxError) {
        let range = signature.arguments
        if range.contains(count), count > 0 || !isDistinct { return }
        let least = isDistinct ? max(range.lowerBound, 1) : range.lowerBound
        let due = least == range.upperBound ? "\(least)" : "\(least) to \(range.upperBound)"
        throw error(at: start, "wrong number of arguments to \(signature.name)(): it takes \(due)")
    }

    // MARK: FILTER and OVER

    private mutating func suffixed(
        _ call: FunctionCall, _ kind: FunctionSignature.Kind
    ) throws(QuerySyntaxError) -> FunctionCall {
        var call = call
        if kind == .aggregate { call.filter = try filter() }
        call.window = try over()
        if kind == .window, call.window == nil { throw failure() }
        return call
    }

    private mutating func filter() throws(QuerySyntaxError) -> ExpressionTree? {
        guard isAt(.filter), token(1).kind == .leftParenthesis else { return nil }
        skipNameAndParenthesis()
        try take(.where)
        let condition = try expression()
        try take(.rightParenthesis)
        return condition
    }

    private mutating func over() throws(QuerySyntaxError) -> Window? {
        guard isAt(.over), token(1).kind == .leftParenthesis else { return nil }
        skipNameAndParenthesis()
        var window = Window()
        if accept(.partition) {
            try take(.by)
            window.partitions = try list { (parser) throws(QuerySyntaxError) in try parser.expression() }
        }
        window.order = try order()
        window.frame = try frame()
        try take(.rightParenthesis)
        return window
    }

    private mutating func frame() throws(QuerySyntaxError) -> WindowFrame? {
        let unit: WindowFrame.Unit
        if accept(.rows) {
            unit = .rows
        } else if accept(.range) {
            unit = .range
        } else if accept(.groups) {
            unit = .groups
        } else {
            return nil
        }
        guard accept(.between) else { return WindowFrame(unit: unit, start: try bound()) }
        let start = try bound()
        try take(.and)
        return WindowFrame(unit: unit, start: start, end: try bound())
    }

    private mutating func bound() throws(QuerySyntaxError) -> WindowFrame.Bound {
        if isAt(.unbounded), [.preceding, .following].contains(token(1).keyword) {
            advance()
            let isPreceding = current.keyword == .preceding
            advance()
            return isPreceding ? .unboundedPreceding : .unboundedFollowing
        }
        if isAt(.current), token(1).keyword == .row {
            advance()
            advance()
            return .currentRow
        }
        let distance = try binary(.relation)
        if accept(.preceding) { return .preceding(distance) }
        try take(.following)
        return .following(distance)
    }
}
