/// A search text of MATCH in the syntax of Couchbase Lite (Documentation/FullText.md §2), translated to an expression
/// of FTS5.
package struct FullTextQuery {
    /// A syntax error in a search text, with its position.
    package struct Failure: Error, Equatable {
        /// A description of the error.
        package let reason: String
        /// The position of the error in the search text, in Unicode scalars from 1; while the text is being parsed, in
        /// bytes from 0.
        package let position: Int
    }

    /// The maximum number of words of a search text.
    static let maximumWordCount = 16_384
    /// The maximum nesting depth of parentheses in a search text: FTS5's parser keeps at most 100 operands and
    /// operators.
    static let maximumDepth = 8

    /// An FTS5 expression that matches nothing: an empty phrase.
    static let nothing = "\"\""

    /// The FTS5 expression to which the search text was translated.
    package let expression: String

    /// Translates a search text.
    ///
    /// - Parameters:
    ///   - text: the search text.
    ///   - columns: the names by which the search text refers to the FTS5 columns `text1`, `text2` and so on.
    ///   - settings: the settings of the index's tokenizer.
    /// - Throws: a failure with the error's description and position.
    package init(_ text: String, columns: [String], settings: WordSettings) throws(Failure) {
        try self.init(text, columns: columns, WordTokenizer(settings))
    }

    init(_ text: String, columns: [String], _ tokenizer: WordTokenizer) throws(Failure) {
        var lexer = FullTextLexer(text, columns, tokenizer)
        let tokens: [FullTextLexer.Token]
        do { tokens = try lexer.tokens() } catch { throw Self.located(error, text) }
        var parser = Parser(tokens: tokens, end: text.utf8.count)
        do { expression = try parser.whole() } catch { throw Self.located(error, text) }
    }

    /// Returns a failure whose position is converted from a byte offset to a number of Unicode scalars from 1.
    private static func located(_ failure: Failure, _ text: String) -> Failure {
        let index = text.utf8.index(text.startIndex, offsetBy: min(failure.position, text.utf8.count))
        return Failure(reason: failure.reason, position: text.unicodeScalars[..<index].count + 1)
    }
}

/// A recursive-descent parser of OR, AND, NOT and NEAR, whose result is an expression of FTS5. An operand that consists
/// of stop words only is nil and is left out.
private struct Parser {
    let tokens: [FullTextLexer.Token]
    let end: Int
    private var place = 0
    private var depth = 0

    init(tokens: [FullTextLexer.Token], end: Int) { (self.tokens, self.end) = (tokens, end) }

    private var current: FullTextLexer.Token.Kind? { place < tokens.count ? tokens[place].kind : nil }
    private var position: Int { place < tokens.count ? tokens[place].position : end }

    private func failure(_ reason: String) -> FullTextQuery.Failure { .init(reason: reason, position: position) }

    mutating func whole() throws(FullTextQuery.Failure) -> String {
        guard !tokens.isEmpty else { return FullTextQuery.nothing }
        let found = try alternatives()
        guard current == nil else { throw failure("a parenthesis is closed that wasn't opened") }
        return found ?? FullTextQuery.nothing
    }

    private mutating func alternatives() throws(FullTextQuery.Failure) -> String? {
        var parts = [try conjunction()]
        while case .or? = current {
            place += 1
            parts.append(try conjunction())
        }
        return Self.joined(parts, " OR ")
    }

    private mutating func conjunction() throws(FullTextQuery.Failure) -> String? {
        var parts = [try difference()]
        while let kind = current {
            switch kind {
            case .or, .close: return Self.joined(parts, " AND ")
            case .and: place += 1
            default: break
            }
            parts.append(try difference())
        }
        return Self.joined(parts, " AND ")
    }

    private mutating func difference() throws(FullTextQuery.Failure) -> String? {
        let left = try primary()
        var excluded: [String?] = []
        while case .not? = current {
            place += 1
            excluded.append(try primary())
        }
        guard let left, let right = Self.joined(excluded, " OR ") else { return left }
        return "(\(left) NOT \(right))"
    }

    private static func joined(_ parts: [String?], _ separator: String) -> String? {
        let found = parts.compactMap { $0 }
        return found.count < 2 ? found.first : "(\(found.joined(separator: separator)))"
    }

    private mutating func primary() throws(FullTextQuery.Failure) -> String? {
        var column: Int?
        if case .column(let index)? = current {
            column = index
            place += 1
        }
        switch current {
        case .open?:
            return try parenthesised().map { inner in
                // A column filter applies to parentheses or a phrase, not to another filter.
                column == nil || inner.hasPrefix("(")
                    ? Self.filtered(inner, column) : Self.filtered("(\(inner))", column)
            }
        case .phrase?: return try near(column)
        case .near?: throw failure("NEAR must be between words or phrases")
        case .and?, .or?, .not?: throw failure("AND, OR and NOT must stand between words, phrases or parentheses")
        case .column?: throw failure("a word, a phrase or a parenthesis is missing after the name of a column")
        case .close?: throw failure("a word is missing before a closing parenthesis")
        case nil: throw failure("a word is missing at the end")
        }
    }

    private mutating func parenthesised() throws(FullTextQuery.Failure) -> String? {
        guard depth < FullTextQuery.maximumDepth else {
            throw failure("parentheses are nested deeper than \(FullTextQuery.maximumDepth) levels")
        }
        depth += 1
        place += 1
        let found = try alternatives()
        guard case .close? = current else { throw failure("a parenthesis isn't closed") }
        depth -= 1
        place += 1
        return found
    }

    private static func filtered(_ expression: String, _ column: Int?) -> String {
        column.map { "text\($0 + 1) : \(expression)" } ?? expression
    }

    /// Parses a phrase, or several phrases with NEAR between them, of which each must be near the next one. `first` is
    /// the number of the column to which they are restricted; nil for any column.
    private mutating func near(_ first: Int?) throws(FullTextQuery.Failure) -> String? {
        var column = first
        var operands: [(words: String, isAtStart: Bool, distance: Int)] = []
        var isNowhere = false
        var distance = 0
        while true {
            guard case .phrase(let words, let isAtStart)? = current else {
                throw failure("NEAR must be between words or phrases")
            }
            place += 1
            if let words { operands.append((words, isAtStart, distance)) }
            guard case .near(let found)? = current else { break }
            distance = found
            place += 1
            if case .column(let index)? = current {
                isNowhere = isNowhere || (column ?? index) != index
                column = index
                place += 1
            }
        }
        guard let lone = operands.first, !isNowhere else { return isNowhere ? FullTextQuery.nothing : nil }
        guard operands.count > 1 else { return Self.filtered((lone.isAtStart ? "^ " : "") + lone.words, column) }
        let pairs = zip(operands, operands.dropFirst()).map { left, right in
            Self.filtered("NEAR(\(left.words) \(right.words), \(right.distance))", column)
        }
        return Self.joined(pairs, " AND ")
    }
}
