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

/// Splits a search text of MATCH into tokens.
struct FullTextLexer {
    struct Token {
        enum Kind {
            /// Consecutive words in the syntax of FTS5, or nil if all of them are stop words, and a Boolean value that
            /// says whether the words must be at the start of a column.
            case phrase(String?, isAtStart: Bool)
            case and, or, not, open, close
            case near(Int)
            /// The number, from 0, of the column to which the following operand is restricted.
            case column(Int)
        }

        let kind: Kind
        /// The offset of the token in the search text, in bytes from 0.
        let position: Int
    }

    private let text: [UInt8]
    private let columns: [[UInt8]]
    private let tokenizer: WordTokenizer
    private var place = 0
    private var found: [Token] = []
    private var wordCount = 0

    init(_ text: String, _ columns: [String], _ tokenizer: WordTokenizer) {
        self.text = Array(text.utf8)
        self.columns = columns.map { Array($0.utf8).map(Self.lowercased) }
        self.tokenizer = tokenizer
    }

    mutating func tokens() throws(FullTextQuery.Failure) -> [Token] {
        while place < text.count {
            let start = place
            switch text[place] {
            case UInt8(ascii: " "), 0x09...0x0D: place += 1
            case UInt8(ascii: "("): take(.open, 1)
            case UInt8(ascii: ")"): take(.close, 1)
            case UInt8(ascii: "\""):
                guard let end = text[(start + 1)...].firstIndex(of: UInt8(ascii: "\"")) else {
                    throw FullTextQuery.Failure(reason: "a quotation mark isn't closed", position: start)
                }
                let words = try words((start + 1)..<end)
                append(words, 0..<words.count)
                place = end + 1
            default:
                if let (column, length) = column() {
                    take(.column(column), length)
                } else if let (kind, length) = keyword() {
                    take(kind, length)
                } else {
                    try barewords()
                }
            }
        }
        return found
    }

    private mutating func take(_ kind: Token.Kind, _ length: Int) {
        found.append(Token(kind: kind, position: place))
        place += length
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

    /// Returns the number of the column whose name, followed by a colon, is at the current position, and the number of
    /// bytes of name and colon; the longest name if there are several, nil if there is none.
    private func column() -> (Int, Int)? {
        var best: (Int, Int)?
        for (index, name) in columns.enumerated() {
            let end = place + name.count
            guard end < text.count, text[end] == UInt8(ascii: ":"), name.count >= best?.1 ?? 0,
                zip(text[place..<end], name).allSatisfy({ Self.lowercased($0) == $1 })
            else { continue }
            best = (index, name.count + 1)
        }
        return best
    }

    private func keyword() -> (Token.Kind, Int)? {
        let keywords: [(StaticString, Token.Kind)] = [
            ("AND", .and), ("OR", .or), ("NOT", .not), ("NEAR", .near(10)),
        ]
        for (word, kind) in keywords {
            var end = place + word.utf8CodeUnitCount
            guard end <= text.count,
                (0..<word.utf8CodeUnitCount).allSatisfy({ unsafe text[place + $0] == word.utf8Start[$0] })
            else { continue }
            var found = kind
            if case .near = kind, end + 1 < text.count, text[end] == UInt8(ascii: "/") {
                let digits = text[(end + 1)...].prefix { $0 >= 0x30 && $0 <= 0x39 }
                guard !digits.isEmpty else { continue }
                // The distance is clamped, since no text has more words between two words.
                found = .near(digits.reduce(0) { min($0 * 10 + Int($1 - 0x30), 1_000_000) })
                end = digits.endIndex
            }
            guard end == text.count || Self.endsWord(text[end]) else { continue }
            return (found, end - place)
        }
        return nil
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "(")
            || byte == UInt8(ascii: ")")
    }

    /// Scans the text up to the next white space, quotation mark or parenthesis, and appends its words as tokens. Words
    /// that directly follow each other are one phrase.
    private mutating func barewords() throws(FullTextQuery.Failure) {
        let end = text[place...].firstIndex(where: Self.endsWord) ?? text.count
        let words = try words(place..<end)
        var first = 0
        for index in words.indices {
            let isLast = index + 1 == words.count || words[index + 1].range.lowerBound != words[index].range.upperBound
            guard isLast else { continue }
            append(words, first..<index + 1)
            first = index + 1
        }
        place = max(end, place + 1)
    }

    // MARK: - Words

    private struct Word {
        let range: Range<Int>
        /// A Boolean value that says whether an asterisk follows the word, which is then a prefix.
        let isPrefix: Bool
        let isStopWord: Bool
    }

    private mutating func words(_ range: Range<Int>) throws(FullTextQuery.Failure) -> [Word] {
        var words: [Word] = []
        for place in places(range, .prefix) {
            let end = range.lowerBound + place.upperBound
            let isPrefix = end < text.count && text[end] == UInt8(ascii: "*")
            let whole = (range.lowerBound + place.lowerBound)..<end
            words.append(Word(range: whole, isPrefix: isPrefix, isStopWord: !isPrefix && places(whole, []).isEmpty))
        }
        wordCount += words.count
        guard wordCount <= FullTextQuery.maximumWordCount else {
            throw FullTextQuery.Failure(
                reason: "the search text has more than \(FullTextQuery.maximumWordCount) words",
                position: range.lowerBound)
        }
        return words
    }

    private func places(_ range: Range<Int>, _ purpose: WordTokenizer.Purpose) -> [Range<Int>] {
        var places: [Range<Int>] = []
        unsafe text.withUnsafeBufferPointer { text in
            unsafe tokenizer.forEachWord(in: UnsafeBufferPointer(rebasing: text[range]), purpose) { word in
                places.append(word.range)
                return true
            }
        }
        return places
    }

    /// Appends a token for a range of words: one phrase of those that aren't stop words.
    private mutating func append(_ words: [Word], _ range: Range<Int>) {
        let kept = words[range].filter { !$0.isStopWord }
        let phrase = kept.map { word in
            "\"\(String(decoding: text[word.range], as: UTF8.self))\"\(word.isPrefix ? " *" : "")"
        }.joined(separator: " + ")
        let start = words[range].first?.range.lowerBound ?? place
        let isAtStart = start > 0 && text[start - 1] == UInt8(ascii: "^") && words[range].first?.isStopWord == false
        found.append(Token(kind: .phrase(kept.isEmpty ? nil : phrase, isAtStart: isAtStart), position: start))
    }
}
