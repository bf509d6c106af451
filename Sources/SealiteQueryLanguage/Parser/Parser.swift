/// A recursive-descent parser of SQL++, from tokens to a syntax tree.
///
/// `QueryLimits.nesting` bounds the recursion; chains of operators, lists and clauses are parsed by loops. No token is
/// read more than a bounded number of times, so the time is linear in the length of the text.
struct Parser {
    let bytes: [UInt8]
    let tokens: [Token]
    private let lexicalError: QuerySyntaxError?
    private(set) var index = 0
    private var depth = 0
    private var expected = Expectations()
    /// The index of the token that was parsed as an alias without AS, for error messages: it may be a misspelled
    /// keyword. Nil if there is none.
    private var bareAlias: Int?
    /// A Boolean value that says whether an UPDATE, DELETE or INSERT is being parsed, in which RETURNING, SET and UNSET
    /// begin clauses and can't be aliases without AS.
    var isInsideChange = false

    init(_ text: String) throws(QuerySyntaxError) {
        let isTooLong = text.utf8.count > QueryLimits.textByteCount
        let bytes = isTooLong ? [] : Array(text.utf8)
        let lexer = Lexer(bytes)
        self.bytes = bytes
        tokens = lexer.tokens
        lexicalError = lexer.error
        if isTooLong {
            throw QuerySyntaxError(
                in: bytes, at: 0, "the query is longer than \(QueryLimits.textByteCount) bytes")
        }
    }

    // MARK: Looking

    var current: Token { tokens[index] }

    /// Returns the token at a distance after the current one; after the end, the last token.
    func token(_ distance: Int) -> Token { tokens[min(index + distance, tokens.count - 1)] }

    /// The position of the current token in the query's text.
    var position: SourcePosition { SourcePosition(offset: Int(current.start)) }

    /// Returns whether the current token is of a kind, and records the kind as expected for error messages.
    mutating func isAt(_ kind: Token.Kind) -> Bool {
        expected.insert(kind)
        return current.kind == kind
    }

    /// Returns whether the current token is the given keyword, and records the keyword as expected for error messages.
    mutating func isAt(_ keyword: Keyword) -> Bool {
        expected.insert(keyword)
        return current.keyword == keyword
    }

    /// Records a kind of token as expected at the current token, for error messages.
    mutating func expect(_ kind: Token.Kind) { expected.insert(kind) }

    // MARK: Taking

    mutating func advance() {
        if index < tokens.count - 1 { index += 1 }
        expected.removeAll()
    }

    /// Consumes the current token if it is of a kind, and returns whether it is.
    mutating func accept(_ kind: Token.Kind) -> Bool {
        guard isAt(kind) else { return false }
        advance()
        return true
    }

    /// Consumes the current token if it is the given keyword, and returns whether it is.
    mutating func accept(_ keyword: Keyword) -> Bool {
        guard isAt(keyword) else { return false }
        advance()
        return true
    }

    mutating func take(_ kind: Token.Kind) throws(QuerySyntaxError) {
        guard accept(kind) else { throw failure() }
    }

    mutating func take(_ keyword: Keyword) throws(QuerySyntaxError) {
        guard accept(keyword) else { throw failure() }
    }

    /// Consumes a name (a word that isn't reserved, or a quoted name), and returns it without quotes.
    mutating func takeName() throws(QuerySyntaxError) -> String {
        expected.insert(Token.Kind.word)
        guard current.isName else { throw failure() }
        let name = text(of: current)
        advance()
        return name
    }

    /// Consumes a name that is an alias without AS, and returns it without quotes.
    mutating func takeBareAlias() throws(QuerySyntaxError) -> String {
        let taken = index
        let name = try takeName()
        bareAlias = taken
        return name
    }

    /// Parses one or more items, separated by commas.
    mutating func list<Item>(
        _ item: (inout Parser) throws(QuerySyntaxError) -> Item
    ) throws(QuerySyntaxError) -> [Item] {
        var items = [try item(&self)]
        while accept(.comma) { items.append(try item(&self)) }
        return items
    }

    /// Parses a part of a query that may contain parts of its own kind, and counts it as `levels` levels of nesting.
    ///
    /// A part that the printer puts in parentheses takes a level for the parentheses, even if the parsed text doesn't
    /// have them: printed text is therefore never nested deeper than the parsed text.
    mutating func nested<Part>(
        levels: Int = 1, _ part: (inout Parser) throws(QuerySyntaxError) -> Part
    ) throws(QuerySyntaxError) -> Part {
        guard depth + levels <= QueryLimits.nesting else { throw tooDeep() }
        depth += levels
        let result = try part(&self)
        depth -= levels
        return result
    }

    private func tooDeep() -> QuerySyntaxError {
        error(at: current, "the query is nested deeper than \(QueryLimits.nesting) levels")
    }

    /// Consumes an optional semicolon, and requires the end of the text.
    mutating func finish() throws(QuerySyntaxError) {
        _ = accept(.semicolon)
        try take(.endOfText)
    }

    // MARK: Texts

    /// Returns the content of a name, string or parameter without quotes and `$`, and the literal text of other tokens.
    func text(of token: Token) -> String {
        var start = Int(token.start)
        if token.kind == .parameter { start += 1 }
        let first = bytes[start]
        guard token.kind == .quotedName || token.kind == .string || first == UInt8(ascii: "`") else {
            return String(decoding: bytes[start..<Int(token.end)], as: UTF8.self)
        }
        let inner = bytes[start + 1..<Int(token.end) - 1]
        guard inner.contains(first) else { return String(decoding: inner, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(inner.count)
        var position = inner.startIndex
        while position < inner.endIndex {
            text.append(inner[position])
            position += inner[position] == first ? 2 : 1
        }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: Errors

    /// Returns an error at the position of a token.
    func error(
        at token: Token, _ reason: String, nearest: String? = nil, hint: String? = nil
    ) -> QuerySyntaxError {
        QuerySyntaxError(in: bytes, at: Int(token.start), reason, nearest: nearest, hint: hint)
    }

    /// Returns the error for the current token, which isn't of one of the kinds that were recorded as expected.
    func failure() -> QuerySyntaxError {
        if current.kind == .invalid, let lexicalError { return lexicalError }
        let words = expected.words
        if let bareAlias, bareAlias == index - 1, tokens[bareAlias].kind == .word {
            let alias = tokens[bareAlias]
            if let nearest = NearestName.to(text(of: alias), among: words) {
                return error(at: alias, "\(found(alias)) is not a keyword", nearest: nearest)
            }
        }
        let phrases = expected.phrases
        let isReserved = current.keyword?.isReserved == true
        let nearest = current.kind == .word && !isReserved ? NearestName.to(text(of: current), among: words) : nil
        let lacksName = expected.contains(.word) || expected.contains(.expression)
        return QuerySyntaxError(
            in: bytes, at: Int(current.start), "expected \(alternatives(phrases)), found \(found(current))",
            expected: phrases, nearest: nearest,
            hint: isReserved && lacksName ? "as a name, a reserved word goes in backquotes" : nil)
    }

    /// Returns the phrase by which error messages describe a token. Values aren't quoted in it.
    func found(_ token: Token) -> String {
        switch token.kind {
        case .word:
            token.keyword?.isReserved == true ? "the reserved word \(text(of: token))" : "\"\(short(text(of: token)))\""
        case .quotedName: "\"\(short(text(of: token)))\""
        case .bitOperator: "\"\(text(of: token))\""
        default: token.kind.phrase
        }
    }

    /// Returns a name for error messages: shortened to 60 characters if it has more than 64.
    func short(_ name: String) -> String { name.count <= 64 ? name : String(name.prefix(60)) + "…" }
}

/// The keywords and kinds of tokens that the parser would have accepted at the current token, for error messages.
struct Expectations {
    private var keywords: UInt128 = 0
    private var kinds: UInt64 = 0

    mutating func insert(_ keyword: Keyword) { keywords |= 1 << UInt128(keyword.rawValue) }
    mutating func insert(_ kind: Token.Kind) { kinds |= 1 << UInt64(kind.rawValue) }

    mutating func removeAll() {
        keywords = 0
        kinds = 0
    }

    func contains(_ kind: Token.Kind) -> Bool { kinds & (1 << UInt64(kind.rawValue)) != 0 }

    /// The expected keywords as words in upper case.
    var words: [String] { Keyword.allCases.filter { keywords & (1 << UInt128($0.rawValue)) != 0 }.map(\.text) }

    /// The expected keywords and kinds of tokens as phrases. Operators are left out unless nothing else is expected.
    var phrases: [String] {
        let words = contains(.operation) ? words.filter { !["AND", "OR", "COLLATE"].contains($0) } : words
        let kinds = Token.Kind.allCases.filter { contains($0) && $0 != .operation }.map(\.phrase)
        let all = words + kinds
        return all.isEmpty && contains(.operation) ? [Token.Kind.operation.phrase] : all
    }
}
