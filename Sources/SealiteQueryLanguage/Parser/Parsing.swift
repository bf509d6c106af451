extension Statement {
    /// Reads a statement: a query, or a change of documents. One semicolon may end it.
    package init(parsing text: String) throws(QuerySyntaxError) {
        var parser = try Parser(text)
        self = try parser.statement()
        try parser.finish()
    }

    /// Reads a statement from bytes, which must be UTF-8.
    package init(parsing bytes: [UInt8]) throws(QuerySyntaxError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw QuerySyntaxError(in: [], at: 0, "the query is not UTF-8")
        }
        try self.init(parsing: text)
    }
}

extension Query {
    /// Reads a query.
    package init(parsing text: String) throws(QuerySyntaxError) {
        var parser = try Parser(text)
        self = try parser.query()
        try parser.finish()
    }
}

extension ArrayPath {
    /// Reads the path of an array index.
    package init(parsing text: String) throws(QuerySyntaxError) {
        var parser = try Parser(text)
        self = try parser.arrayPath()
        try parser.finish()
    }
}

extension Expression {
    /// Reads an expression, such as the condition of a partial index.
    package init(parsing text: String) throws(QuerySyntaxError) {
        var parser = try Parser(text)
        self = try parser.expression()
        try parser.finish()
    }

    /// Reads expressions that commas separate, such as those of an index.
    package static func list(parsing text: String) throws(QuerySyntaxError) -> [Expression] {
        var parser = try Parser(text)
        let list = try parser.list { (parser) throws(QuerySyntaxError) in try parser.expression() }
        try parser.finish()
        return list
    }
}
