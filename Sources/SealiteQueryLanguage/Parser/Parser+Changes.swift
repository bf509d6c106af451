extension Parser {
    /// Parses a statement: a query, or an UPDATE, DELETE or INSERT.
    mutating func statement() throws(QuerySyntaxError) -> Statement {
        for keyword in [Keyword.select, .with, .update, .delete, .insert] { _ = isAt(keyword) }
        switch current.keyword {
        case .update: return .update(try update())
        case .delete: return .delete(try delete())
        case .insert: return .insert(try insert())
        default:
            guard startsQuery || current.kind == .leftParenthesis else { throw failure() }
            return .query(try query())
        }
    }

    private mutating func target() throws(QuerySyntaxError) -> ChangeTarget {
        isInsideChange = true
        let name = try collectionName()
        return ChangeTarget(collection: name, alias: try alias())
    }

    private mutating func returning() throws(QuerySyntaxError) -> Projection? {
        accept(.returning) ? try projection() : nil
    }

    // MARK: UPDATE and DELETE

    private mutating func update() throws(QuerySyntaxError) -> UpdateTree {
        advance()
        var update = UpdateTree(target: try target())
        if accept(.set) {
            update.assignments = try list { (parser) throws(QuerySyntaxError) in
                let path = try parser.changedPath()
                try parser.take(.equal)
                return .init(path: path, value: try parser.expression())
            }
        }
        if accept(.unset) {
            update.removals = try list { (parser) throws(QuerySyntaxError) in try parser.changedPath() }
        }
        guard !update.assignments.isEmpty || !update.removals.isEmpty else { throw failure() }
        if accept(.where) { update.condition = try expression() }
        if accept(.limit) { update.limit = try count("LIMIT") }
        update.returning = try returning()
        return update
    }

    /// Parses the path of a property that UPDATE changes, which can't contain slices and stars.
    private mutating func changedPath() throws(QuerySyntaxError) -> Path {
        let start = current
        guard case .path(let path) = try path() else { throw failure() }
        guard path.steps.allSatisfy(\.isPlain) else {
            throw error(at: start, "SET and UNSET can't change a slice, such as a[1:2] or a[*]")
        }
        return path
    }

    private mutating func delete() throws(QuerySyntaxError) -> Delete {
        advance()
        try take(.from)
        var delete = Delete(target: try target())
        if accept(.where) { delete.condition = try expression() }
        if accept(.limit) { delete.limit = try count("LIMIT") }
        delete.returning = try returning()
        return delete
    }

    // MARK: INSERT

    private mutating func insert() throws(QuerySyntaxError) -> Insert {
        advance()
        try take(.into)
        let target = try target()
        try take(.leftParenthesis)
        let hasKey = accept(.key)
        if hasKey, accept(.comma) { return try documents(target, hasKey: true) }
        if !hasKey, isAt(.value), token(1).kind == .rightParenthesis { return try documents(target, hasKey: false) }
        return try rows(target, hasKey: hasKey)
    }

    /// Parses the rest of `INSERT INTO … (KEY, VALUE) VALUES (k, v), …` from VALUE on.
    private mutating func documents(_ target: ChangeTarget, hasKey: Bool) throws(QuerySyntaxError) -> Insert {
        try take(.value)
        try take(.rightParenthesis)
        try take(.values)
        let documents = try list { (parser) throws(QuerySyntaxError) in
            try parser.take(.leftParenthesis)
            var key: ExpressionTree?
            if hasKey {
                key = try parser.expression()
                try parser.take(.comma)
            }
            let document = Insert.Document(key: key, value: try parser.expression())
            try parser.take(.rightParenthesis)
            return document
        }
        return Insert(target: target, content: .documents(documents), returning: try returning())
    }

    /// Parses the rest of `INSERT INTO … (KEY a, VALUE b) SELECT …` after KEY, or of `INSERT INTO … (VALUE b) SELECT …`
    /// from VALUE on.
    private mutating func rows(_ target: ChangeTarget, hasKey: Bool) throws(QuerySyntaxError) -> Insert {
        var key: ExpressionTree?
        if hasKey {
            key = try expression()
            try take(.comma)
        }
        try take(.value)
        let value = try expression()
        try take(.rightParenthesis)
        let query = try query()
        return Insert(target: target, content: .rows(.init(key: key, value: value), query), returning: try returning())
    }
}
