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
