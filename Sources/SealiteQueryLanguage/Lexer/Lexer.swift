/// Splits a text in SQL++ into tokens, in one pass over its bytes.
///
/// The parser accesses tokens by index and can look ahead any distance. The last token is the end of the text. At an
/// invalid character, one of the kind `invalid` precedes it and takes the place of the rest, so that a syntax error
/// before the character is reported first.
struct Lexer {
    let bytes: [UInt8]
    private(set) var tokens: [Token] = []
    /// The error that the token of kind `invalid` stands for; nil if there is no such token.
    private(set) var error: QuerySyntaxError?
    /// A Boolean value that says whether the text ends inside a `--` comment.
    private(set) var endsInLineComment = false
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        tokens.reserveCapacity(bytes.count / 4 + 2)
        do throws(QuerySyntaxError) {
            while try next() {}
        } catch {
            self.error = error
            append(.invalid, from: position)
        }
        position = bytes.count
        append(.endOfText, from: position)
    }

    /// Returns the byte at a distance from the current byte; 0 after the end.
    private func peek(_ distance: Int = 0) -> UInt8 {
        position + distance < bytes.count ? bytes[position + distance] : 0
    }

    private mutating func append(_ kind: Token.Kind, from start: Int, keyword: Keyword? = nil) {
        tokens.append(Token(kind: kind, keyword: keyword, start: Int32(start), end: Int32(position)))
    }

    /// Returns a syntax error at the byte with an offset.
    private func failure(_ offset: Int, _ reason: String, hint: String? = nil) -> QuerySyntaxError {
        QuerySyntaxError(in: bytes, at: offset, reason, hint: hint)
    }

    /// Reads the next token and appends it to `tokens`; returns false at the end of the text.
    private mutating func next() throws(QuerySyntaxError) -> Bool {
        try skipSpace()
        guard position < bytes.count else { return false }
        let byte = bytes[position]
        if byte.isNameStart {
            word()
        } else if byte.isDigit || (byte == UInt8(ascii: ".") && peek(1).isDigit && !isBehindOperand) {
            try number()
        } else {
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): try quoted(.string, "string")
            case UInt8(ascii: "`"): try quoted(.quotedName, "quoted name")
            case UInt8(ascii: "$"): try parameter()
            default: try symbol(byte)
            }
        }
        return true
    }

    /// A Boolean value that says whether an operand ends immediately before the current byte, so that a dot begins a
    /// path step instead of a number.
    private var isBehindOperand: Bool {
        guard let last = tokens.last, last.end == position else { return false }
        switch last.kind {
        case .word, .quotedName, .parameter, .rightParenthesis, .rightBracket, .rightBrace: return true
        default: return false
        }
    }

    /// Skips white space and comments.
    private mutating func skipSpace() throws(QuerySyntaxError) {
        while position < bytes.count {
            if bytes[position].isSpace {
                position += 1
            } else if peek() == UInt8(ascii: "-"), peek(1) == UInt8(ascii: "-") {
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
                endsInLineComment = position == bytes.count
            } else if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                let start = position
                position += 2
                while !(peek() == UInt8(ascii: "*") && peek(1) == UInt8(ascii: "/")) {
                    guard position < bytes.count else {
                        throw failure(start, "the comment has no end", hint: "a comment ends with */")
                    }
                    position += 1
                }
                position += 2
            } else {
                return
            }
        }
    }

    private mutating func word() {
        let start = position
        while position < bytes.count, bytes[position].isNamePart { position += 1 }
        append(.word, from: start, keyword: Keyword(bytes[start..<position]))
    }

    /// Reads an unsigned number: digits with an optional decimal point and exponent.
    private mutating func number() throws(QuerySyntaxError) {
        let start = position
        var kind = Token.Kind.integer
        skipDigits()
        if peek() == UInt8(ascii: ".") {
            kind = .decimal
            position += 1
            skipDigits()
        }
        if peek() | 0x20 == UInt8(ascii: "e") {
            let sign = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-") ? 1 : 0
            if peek(1 + sign).isDigit {
                kind = .decimal
                position += 1 + sign
                skipDigits()
            }
        }
        guard !peek().isNamePart else { throw failure(start, "a number is followed directly by a letter, _ or $") }
        append(kind, from: start)
    }

    private mutating func skipDigits() {
        while peek().isDigit { position += 1 }
    }

    /// Reads quoted text, in which two quotes in a row stand for one.
    private mutating func quoted(_ kind: Token.Kind, _ name: String) throws(QuerySyntaxError) {
        let start = position
        let quote = bytes[position]
        position += 1
        while true {
            guard position < bytes.count else {
                position = start
                throw failure(start, "the \(name) has no closing quote", hint: "a quote inside is written twice")
            }
            if bytes[position] == quote {
                guard peek(1) == quote else { break }
                position += 1
            }
            position += 1
        }
        position += 1
        append(kind, from: start)
    }

    private mutating func parameter() throws(QuerySyntaxError) {
        let start = position
        position += 1
        if peek() == UInt8(ascii: "`") {
            try quoted(.quotedName, "quoted name")
            tokens.removeLast()
        } else {
            guard peek().isNameStart else {
                position = start
                throw failure(
                    start, "$ isn't followed by the name of a parameter",
                    hint: "the name must begin with a letter or an underscore, or be in backquotes")
            }
            while position < bytes.count, bytes[position].isNamePart { position += 1 }
            if Keyword(bytes[start + 1..<position])?.isReserved == true {
                position = start
                throw failure(
                    start, "the name of a parameter is a reserved word",
                    hint: "use another name, or write the name in backquotes")
            }
        }
        append(.parameter, from: start)
    }

    private mutating func symbol(_ byte: UInt8) throws(QuerySyntaxError) {
        let start = position
        guard let (kind, count) = Self.symbol(byte, peek(1)) else {
            throw byte < 0x80
                ? failure(start, "this character isn't allowed outside of quotes")
                : failure(
                    start, "this character isn't allowed outside of quotes",
                    hint: "write a name with letters other than A to Z in backquotes")
        }
        position += count
        append(kind, from: start)
    }

    /// Returns the kind and the length in bytes of the symbol with which two bytes begin; nil if they begin with none.
    private static func symbol(_ first: UInt8, _ second: UInt8) -> (Token.Kind, Int)? {
        switch (UnicodeScalar(first), UnicodeScalar(second)) {
        case ("=", "="): (.equal, 2)
        case ("!", "="), ("<", ">"): (.notEqual, 2)
        case ("<", "="): (.lessOrEqual, 2)
        case (">", "="): (.greaterOrEqual, 2)
        case ("|", "|"): (.bars, 2)
        case ("<", "<"), (">", ">"): (.bitOperator, 2)
        case ("&", _), ("|", _): (.bitOperator, 1)
        case ("=", _): (.equal, 1)
        case ("<", _): (.less, 1)
        case (">", _): (.greater, 1)
        case ("(", _): (.leftParenthesis, 1)
        case (")", _): (.rightParenthesis, 1)
        case ("[", _): (.leftBracket, 1)
        case ("]", _): (.rightBracket, 1)
        case ("{", _): (.leftBrace, 1)
        case ("}", _): (.rightBrace, 1)
        case (",", _): (.comma, 1)
        case (".", _): (.dot, 1)
        case (":", _): (.colon, 1)
        case (";", _): (.semicolon, 1)
        case ("+", _): (.plus, 1)
        case ("-", _): (.minus, 1)
        case ("*", _): (.star, 1)
        case ("/", _): (.slash, 1)
        case ("%", _): (.percent, 1)
        default: nil
        }
    }
}

/// A token of a text in SQL++: its kind and its range of bytes in the text.
struct Token {
    /// The kinds of tokens, and the kinds of elements that error messages list as expected.
    enum Kind: UInt8, CaseIterable {
        case word, quotedName, integer, decimal, string, parameter
        case leftParenthesis, rightParenthesis, leftBracket, rightBracket, leftBrace, rightBrace
        case comma, dot, colon, semicolon
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
        case plus, minus, star, slash, percent, bars
        /// `&`, `|`, `<<` and `>>`, which aren't part of the language.
        case bitOperator
        /// An invalid character; `Lexer.error` describes it.
        case invalid
        case endOfText

        // Not tokens: used in lists of expected elements only.
        case expression, query, operation

        /// The phrase for the kind in error messages.
        var phrase: String { Self.phrases[Int(rawValue)] }

        private static let phrases = [
            "a name", "a quoted name", "an integer", "a number", "a string", "a parameter",
            "\"(\"", "\")\"", "\"[\"", "\"]\"", "\"{\"", "\"}\"", "\",\"", "\".\"", "\":\"", "\";\"",
            "\"=\"", "\"!=\"", "\"<\"", "\"<=\"", "\">\"", "\">=\"", "\"+\"", "\"-\"", "\"*\"", "\"/\"", "\"%\"",
            "\"||\"",
            "a bit operator", "text", "the end of the query", "an expression", "a query", "an operator",
        ]
    }

    var kind: Kind
    /// The keyword that a word spells; nil for other tokens, and for words that aren't keywords.
    var keyword: Keyword?
    var start: Int32
    var end: Int32

    /// A Boolean value that says whether the token can be a name: a quoted name, or a word that isn't reserved.
    var isName: Bool { kind == .quotedName || (kind == .word && keyword?.isReserved != true) }
}

extension UInt8 {
    var isLowercaseLetter: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
    /// A Boolean value that says whether a name may begin with the byte.
    var isNameStart: Bool {
        isLowercaseLetter || (self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z")) || self == UInt8(ascii: "_")
    }
    /// A Boolean value that says whether the byte may follow the first one in a name.
    var isNamePart: Bool { isNameStart || isDigit || self == UInt8(ascii: "$") }
    var isSpace: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r")
            || self == UInt8(ascii: "\t")
    }
}

/// The keywords of SQL++.
///
/// The first group is reserved: such a word must be quoted to be used as a name. Any other keyword is a name where a
/// name is expected, unless the following words make it a keyword; documents may therefore use `value`, `key` or
/// `first` as property names.
enum Keyword: UInt8, CaseIterable {
    case and, any, `as`, asc, between, by, `case`, collate, cross, desc, distinct, `else`, end, every, `false`, from,
        group, having
    case `in`, inner, `is`, join, left, like, limit, missing, natural, not, null, offset, on, or, order, outer, right,
        satisfies
    case select, then, `true`, unnest, using, valued, when, `where`

    case all, array, current, delete, escape, except, exists, filter, following, `for`, groups, insert, intersect, into,
        key, `let`
    case match, meta, nulls, first, last, over, partition, preceding, prediction, range, rank, raw, recursive,
        returning, row, rows
    case set, some, unbounded, union, unset, update, value, values, with

    /// A Boolean value that says whether the word must be quoted to be used as a name.
    var isReserved: Bool { rawValue <= Keyword.where.rawValue }

    /// The keyword's word in upper case.
    var text: String { Self.words[Int(rawValue)] }

    /// The words, by the keywords' numbers: the names of the cases in upper case, which reflection would take half a
    /// millisecond to find.
    private static let words = [
        "AND", "ANY", "AS", "ASC", "BETWEEN", "BY", "CASE", "COLLATE", "CROSS", "DESC", "DISTINCT", "ELSE",
        "END", "EVERY", "FALSE", "FROM", "GROUP", "HAVING", "IN", "INNER", "IS", "JOIN", "LEFT", "LIKE",
        "LIMIT", "MISSING", "NATURAL", "NOT", "NULL", "OFFSET", "ON", "OR", "ORDER", "OUTER", "RIGHT",
        "SATISFIES", "SELECT", "THEN", "TRUE", "UNNEST", "USING", "VALUED", "WHEN", "WHERE", "ALL", "ARRAY",
        "CURRENT", "DELETE", "ESCAPE", "EXCEPT", "EXISTS", "FILTER", "FOLLOWING", "FOR", "GROUPS", "INSERT",
        "INTERSECT", "INTO", "KEY", "LET", "MATCH", "META", "NULLS", "FIRST", "LAST", "OVER", "PARTITION",
        "PRECEDING", "PREDICTION", "RANGE", "RANK", "RAW", "RECURSIVE", "RETURNING", "ROW", "ROWS", "SET",
        "SOME", "UNBOUNDED", "UNION", "UNSET", "UPDATE", "VALUE", "VALUES", "WITH",
    ]

    /// Finds the keyword that a word in any case spells; nil if it is no keyword.
    init?(_ word: ArraySlice<UInt8>) {
        guard word.count <= Self.longest, let first = word.first else { return nil }
        let packed = Self.pack(word)
        guard let known = Self.table[Int(first & 0x1F)].first(where: { $0.packed == packed }) else { return nil }
        self = known.keyword
    }

    private static let longest = 16
    /// The keywords, grouped by the last five bits of their first letter.
    private static let table: [[(packed: UInt128, keyword: Keyword)]] = {
        var table: [[(packed: UInt128, keyword: Keyword)]] = Array(repeating: [], count: 32)
        for keyword in allCases {
            let word = Array(keyword.text.utf8)
            table[Int(word[0] & 0x1F)].append((pack(word[...]), keyword))
        }
        return table
    }()

    /// Packs up to 16 bytes into one number, with letters in upper case.
    private static func pack(_ word: ArraySlice<UInt8>) -> UInt128 {
        var packed: UInt128 = 0
        for byte in word { packed = packed << 8 | UInt128(byte.isLowercaseLetter ? byte & 0xDF : byte) }
        return packed
    }
}
