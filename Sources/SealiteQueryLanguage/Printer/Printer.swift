/// Prints a syntax tree as SQL++, without line breaks outside of strings and quoted names. The text parses to an equal
/// tree, unless the tree has a value of which SQL++ has no text (`Literal.unusable`): parentheses and quotes are added
/// where they are necessary.
///
/// The recursion is as deep as the tree; the parser limits the depth of parsed trees, the query builder that of its own.
struct Printer {
    private(set) var text = ""

    mutating func write(_ piece: some StringProtocol) { text += piece }

    /// Writes items separated by commas.
    mutating func list<Item>(_ items: some Sequence<Item>, _ write: (inout Printer, Item) -> Void) {
        var isFirst = true
        for item in items {
            if !isFirst { text += ", " }
            isFirst = false
            write(&self, item)
        }
    }

    /// Writes a name in a position where keywords that aren't reserved need quotes too.
    mutating func name(_ name: String) { word(name, mayBeKeyword: false) }

    /// Writes a name after a dot, where only reserved words need quotes.
    mutating func innerName(_ name: String) { word(name, mayBeKeyword: true) }

    private mutating func word(_ name: String, mayBeKeyword: Bool) {
        let bytes = Array(name.utf8)
        let keyword = Keyword(bytes[...])
        let isWord = bytes.first?.isNameStart == true && bytes.allSatisfy(\.isNamePart)
        if isWord, keyword == nil || (mayBeKeyword && keyword?.isReserved == false) {
            text += name
        } else {
            quoted(name, "`")
        }
    }

    /// Writes names separated by dots.
    mutating func names(_ names: [String]) {
        for (index, name) in names.enumerated() {
            if index > 0 { text += "." }
            self.name(name)
        }
    }

    mutating func string(_ value: String) { quoted(value, "'") }

    private mutating func quoted(_ value: String, _ quote: Unicode.Scalar) {
        text.unicodeScalars.append(quote)
        for scalar in value.unicodeScalars {
            text.unicodeScalars.append(scalar)
            if scalar == quote { text.unicodeScalars.append(quote) }
        }
        text.unicodeScalars.append(quote)
    }

    /// Writes a clause, its word and its expression; nothing if the expression is nil.
    mutating func clause(_ word: String, _ expression: Expression?) {
        guard let expression else { return }
        text += " \(word) "
        self.expression(expression)
    }

    /// Writes AS and an alias; nothing if the alias is nil.
    mutating func alias(_ alias: String?) {
        guard let alias else { return }
        text += " AS "
        name(alias)
    }
}

extension Statement: CustomStringConvertible {
    /// The statement as SQL++ text, without line breaks outside of strings and quoted names. It parses to an equal
    /// statement, unless the statement has a value of which SQL++ has no text (`Literal.unusable`).
    package var description: String {
        var printer = Printer()
        printer.statement(self)
        return printer.text
    }
}

extension Query: CustomStringConvertible {
    /// The query as SQL++ text, without line breaks outside of strings and quoted names. It parses to an equal query,
    /// unless the query has a value of which SQL++ has no text (`Literal.unusable`).
    package var description: String {
        var printer = Printer()
        printer.query(self)
        return printer.text
    }
}

extension Expression: CustomStringConvertible {
    /// The expression as SQL++ text, without line breaks outside of strings and quoted names. It parses to an equal
    /// expression, unless the expression is `*` or `a.*`, or has a value of which SQL++ has no text
    /// (`Literal.unusable`).
    package var description: String {
        var printer = Printer()
        printer.starOrExpression(self)
        return printer.text
    }
}
