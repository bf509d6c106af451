extension Parser {
    /// Parses the FROM clause with its joins; nil if there is none.
    mutating func from() throws(QuerySyntaxError) -> From? {
        guard accept(.from) else { return nil }
        var from = From(try source())
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

    private mutating func join() throws(QuerySyntaxError) -> Join? {
        if accept(.unnest) { return try unnest(isLeft: false) }
        if accept(.cross) {
            try take(.join)
            let source = try source()
            if current.keyword == .on { throw error(at: current, "CROSS JOIN cannot accept an ON clause") }
            return .cross(source)
        }
        var kind = Join.Kind.inner
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

    private mutating func unnest(isLeft: Bool) throws(QuerySyntaxError) -> Join {
        let start = current
        guard case .path(let path) = try expression() else {
            throw error(at: start, "UNNEST takes only a property path, such as a.items, and no other expression")
        }
        return .unnest(path, alias: try alias(), isLeft: isLeft)
    }
}
