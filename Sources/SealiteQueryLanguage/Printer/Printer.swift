/// Prints a syntax tree as SQL++, without line breaks outside of strings and quoted names. The text parses to an equal
/// tree, unless the tree has a value of which SQL++ has no text (`Literal.unusable`): parentheses and quotes are added
/// where they are necessary.
///
/// The recursion is as deep as the tree; the parser limits the depth of parsed trees, the query builder that of its own.
enum Printer {
    /// Returns the texts of items, separated by commas.
    static func list<Item>(_ items: some Sequence<Item>, _ text: (Item) -> String) -> String {
        items.map(text).joined(separator: ", ")
    }

    /// Returns a name for a position where keywords that aren't reserved need quotes too.
    static func name(_ name: String) -> String { word(name, mayBeKeyword: false) }

    /// Returns a name for a position after a dot, where only reserved words need quotes.
    static func innerName(_ name: String) -> String { word(name, mayBeKeyword: true) }

    private static func word(_ name: String, mayBeKeyword: Bool) -> String {
        let bytes = Array(name.utf8)
        let keyword = Keyword(bytes[...])
        let isWord = bytes.first?.isNameStart == true && bytes.allSatisfy(\.isNamePart)
        let isPlain = isWord && (keyword == nil || (mayBeKeyword && keyword?.isReserved == false))
        return isPlain ? name : quoted(name, "`")
    }

    /// Returns names separated by dots.
    static func names(_ names: [String]) -> String { names.map(name).joined(separator: ".") }

    static func string(_ value: String) -> String { quoted(value, "'") }

    /// Returns a text between quotation marks, in which each one is written twice.
    private static func quoted(_ value: String, _ quote: Unicode.Scalar) -> String {
        var text = String.UnicodeScalarView()
        text.append(quote)
        for scalar in value.unicodeScalars {
            text.append(scalar)
            if scalar == quote { text.append(quote) }
        }
        text.append(quote)
        return String(text)
    }

    /// Returns a clause with a space before its word; nothing if there is no expression.
    static func clause(_ word: String, _ expression: ExpressionTree?) -> String {
        expression.map { " \(word) \(self.expression($0))" } ?? ""
    }

    /// Returns ` AS` and an alias; nothing if there is none.
    static func alias(_ alias: String?) -> String { alias.map { " AS \(name($0))" } ?? "" }
}

extension Statement: CustomStringConvertible {
    /// The statement as SQL++ text, without line breaks outside of strings and quoted names. It parses to an equal
    /// statement, unless the statement has a value of which SQL++ has no text (`Literal.unusable`).
    package var description: String { Printer.statement(self) }
}

extension QueryTree: CustomStringConvertible {
    /// The query as SQL++ text, without line breaks outside of strings and quoted names. It parses to an equal query,
    /// unless the query has a value of which SQL++ has no text (`Literal.unusable`).
    package var description: String { Printer.query(self) }
}

extension ExpressionTree: CustomStringConvertible {
    /// The expression as SQL++ text, without line breaks outside of strings and quoted names. It parses to an equal
    /// expression, unless the expression is `*` or `a.*`, or has a value of which SQL++ has no text
    /// (`Literal.unusable`).
    package var description: String { Printer.starOrExpression(self) }
}
