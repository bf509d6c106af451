extension Statement {
    /// Parses one statement (a query or a change of documents), with an optional semicolon after it.
    package init(parsing text: String) throws(QuerySyntaxError) {
        var parser = try Parser(text)
        self = try parser.statement()
        try parser.finish()
    }

    /// Parses a statement from bytes, which must be UTF-8.
    package init(parsing bytes: [UInt8]) throws(QuerySyntaxError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw QuerySyntaxError(in: [], at: 0, "the query isn't valid UTF-8")
        }
        try self.init(parsing: text)
    }
}

extension QueryTree {
    /// Parses a query, with an optional semicolon after it.
    package init(parsing text: String) throws(QuerySyntaxError) {
        var parser = try Parser(text)
        self = try parser.query()
        try parser.finish()
    }
}

extension ArrayPath {
    /// Parses the path of an array index: paths separated by `[].`, such as `contacts[].phones`.
    package init(parsing text: String) throws(QuerySyntaxError) {
        var parser = try Parser(text)
        self = try parser.arrayPath()
        try parser.finish()
    }
}

extension ExpressionTree {
    /// Parses an expression, such as the condition of a partial index.
    package init(parsing text: String) throws(QuerySyntaxError) {
        var parser = try Parser(text)
        self = try parser.expression()
        try parser.finish()
    }

    /// Parses a list of one or more expressions separated by commas, such as those of an index.
    package static func list(parsing text: String) throws(QuerySyntaxError) -> [ExpressionTree] {
        var parser = try Parser(text)
        let list = try parser.list { (parser) throws(QuerySyntaxError) in try parser.expression() }
        try parser.finish()
        return list
    }
}
