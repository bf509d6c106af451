/// Text that holds statements one after another, as it is typed or read from a script.
package enum StatementText {
    /// A Boolean value that says whether a text ends with a semicolon that is in no string, quoted name or comment: nothing more is due.
    ///
    /// So does one that can't become statements whatever follows: it is too long, or a character in it has no meaning.
    package static func isComplete(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count <= QueryLimits.textByteCount else { return true }
        let lexer = Lexer(bytes)
        guard let last = lexer.tokens.dropLast().last else { return false }
        guard last.kind == .invalid else { return last.kind == .semicolon }
        return !lexer.endsInQuotes && bytes.last { !$0.isSpace } == UInt8(ascii: ";")
    }

    /// Returns the statements of a text, each with the semicolon that ends it. Space and comments alone are none.
    package static func statements(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        // A text that is too long is one statement, which is refused for that.
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
                // The parser says why.
                return statements + [String(decoding: bytes[from...], as: UTF8.self)]
            default: start = from
            }
        }
        return statements
    }

    /// A name as it is written in a statement: in backquotes where it must be.
    package static func name(_ name: String) -> String {
        var printer = Printer()
        printer.name(name)
        return printer.text
    }
}

extension Lexer {
    /// A Boolean value that says whether the text ends inside a string, a quoted name or a comment.
    var endsInQuotes: Bool {
        guard let last = tokens.dropLast().last, last.kind == .invalid else { return false }
        let start = Int(last.start)
        // Behind a comment without an end nothing is left.
        guard start < bytes.count else { return true }
        return [UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`")].contains(bytes[start])
    }
}
