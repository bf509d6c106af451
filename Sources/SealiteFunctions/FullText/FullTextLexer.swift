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
