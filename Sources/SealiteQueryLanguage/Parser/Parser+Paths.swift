extension Parser {
    /// Parses a name and the path steps after it.
    mutating func path() throws(QuerySyntaxError) -> Expression {
        let position = position
        let root = try takeName()
        return .path(Path(root, try steps(), at: position))
    }

    /// Parses an expression, or `*` or `a.*`, where the star stands for all properties of a source or an object.
    mutating func starOrExpression() throws(QuerySyntaxError) -> Expression {
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
