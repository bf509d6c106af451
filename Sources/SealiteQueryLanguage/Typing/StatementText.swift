/// Text that contains a sequence of statements, typed or read from a script.
package enum StatementText {
    /// Returns whether a text ends with a semicolon outside strings, quoted names and comments, so that its last
    /// statement is complete. White space and comments may follow the semicolon.
    ///
    /// A text longer than `QueryLimits.textByteCount` counts as complete too. So does one with an invalid character
    /// whose last character, apart from white space, is any semicolon, since no further input can make it valid.
    package static func isComplete(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count <= QueryLimits.textByteCount else { return true }
        let lexer = Lexer(bytes)
        guard let last = lexer.tokens.dropLast().last else { return false }
        guard last.kind == .invalid else { return last.kind == .semicolon }
        return !lexer.endsInQuotes && bytes.last { !$0.isSpace } == UInt8(ascii: ";")
    }

    /// Returns the statements of a text, each with its semicolon; the last one may have none. White space and comments
    /// alone aren't statements. If a text has an invalid character or an unterminated string, the statement with it
    /// extends to the end of the text. A text longer than `QueryLimits.textByteCount` is returned as one statement.
    package static func statements(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        // A text that is too long is returned as one statement, whose parsing fails because of its length.
        guard bytes.count <= QueryLimits.textByteCount else { return [text] }
        var statements: [String] = []
        var start: Int?
        for token in Lexer(bytes).tokens {
            let from = start ?? Int(token.start)
            switch token.kind {
            case .endOfText:
                if start != nil { statements.append(String(decoding: bytes[from...], as: UTF8.self)) }
            case .semicolon:
                statements.append(String(decoding: bytes[from..<Int(token.end)], as: UTF8.self))
                start = nil
            case .invalid:
                // The rest is returned as one statement; parsing it reports the error.
                return statements + [String(decoding: bytes[from...], as: UTF8.self)]
            default: start = from
            }
        }
        return statements
    }

    /// Returns a name as it is written in a statement of SQL++, in backquotes if necessary.
    package static func name(_ name: String) -> String { Printer.name(name) }
}

extension Lexer {
    /// A Boolean value that says whether the text ends inside an unterminated string, quoted name or `/*` comment.
    var endsInQuotes: Bool {
        guard let last = tokens.dropLast().last, last.kind == .invalid else { return false }
        let start = Int(last.start)
        // Nothing remains if the text ends in an unterminated comment.
        guard start < bytes.count else { return true }
        return [UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`")].contains(bytes[start])
    }
}
