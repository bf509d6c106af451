internal import SealiteFunctions
internal import SealiteValues

/// Tests the texts of documents with a `$text`, and computes their scores as MongoDB does.
struct TextMatcher {
    /// The texts of a document at one path of the index, and the path's weight.
    typealias Field = (texts: [String], weight: Double)

    private let query: TextQuery
    private let words: IndexWords
    /// The words with their accents, for a search in which these count.
    private let accented: IndexWords?
    private let terms: Set<[UInt8]>
    private let negated: Set<[UInt8]>
    private let exact: Set<ExactWord>

    /// A word of which case or accents count.
    private struct ExactWord: Hashable {
        let token: [UInt8]
        /// For each letter of the token, whether it is written as a capital; empty if case doesn't count.
        let capitals: [Bool]
    }

    /// Creates a matcher for the texts of an index with a language.
    init(_ query: TextQuery, language: String) {
        self.query = query
        words = IndexWords(TextLanguage.settings(language))
        let spoken = query.language ?? language
        let asked = IndexWords(TextLanguage.settings(spoken))
        terms = Set(query.terms.flatMap { asked.words(of: Array($0.utf8)).map(\.token) })
        negated = Set(query.negatedTerms.flatMap { asked.words(of: Array($0.utf8)).map(\.token) })
        guard query.isCaseSensitive || query.isDiacriticSensitive else {
            (accented, exact) = (nil, [])
            return
        }
        let keeps = query.isDiacriticSensitive
        accented = IndexWords(TextLanguage.settings(language, keepsAccents: keeps))
        let exactly = IndexWords(TextLanguage.settings(spoken, keepsAccents: keeps))
        exact = Set(query.terms.flatMap { Self.exactWords(of: $0, exactly, query.isCaseSensitive) })
    }

    /// A Boolean value that says whether no document can match, since no word is searched for.
    var isEmpty: Bool { terms.isEmpty }

    private static func exactWords(of text: String, _ words: IndexWords, _ isCaseSensitive: Bool) -> [ExactWord] {
        let bytes = Array(text.utf8)
        return words.words(of: bytes).map { word in
            guard isCaseSensitive else { return ExactWord(token: word.token, capitals: []) }
            let letters = String(decoding: bytes[word.range], as: UTF8.self).prefix(word.token.text.count)
            return ExactWord(token: word.token, capitals: letters.map(\.isUppercase))
        }
    }

    /// Returns the score of a document; nil if it doesn't match.
    func score(of fields: [Field]) -> Double? {
        let texts = fields.flatMap(\.texts)
        var score = 0.0
        var hasTerm = false
        for field in fields {
            for text in field.texts {
                guard let found = self.score(of: text, weight: field.weight) else { return nil }
                hasTerm = hasTerm || found > 0
                score += found
            }
        }
        guard hasTerm, query.phrases.allSatisfy({ phrase in texts.contains { contains($0, phrase) } }),
            !query.negatedPhrases.contains(where: { phrase in texts.contains { contains($0, phrase) } }),
            exact.isEmpty || texts.contains(where: hasExactWord)
        else { return nil }
        return score
    }

    /// Returns the score of one text; 0 if it has none of the words, nil if it has a negated one.
    private func score(of text: String, weight: Double) -> Double? {
        var counts: [[UInt8]: Int] = [:]
        var total = 0
        let bytes = Array(text.utf8)
        let found = words.words(of: bytes)
        for word in found {
            total += 1
            if negated.contains(word.token) { return nil }
            if terms.contains(word.token) { counts[word.token, default: 0] += 1 }
        }
        return counts.reduce(0) { sum, term in
            let count = Double(term.value)
            // Each further occurrence counts half as much as the one before it.
            let frequency = 2 - pow(0.5, term.value - 1)
            let share = 0.5 * count / Double(total) + 0.5
            // A text that is the word alone counts a tenth more.
            let isWhole = found.count == 1 && found[0].range == 0..<bytes.count && found[0].token.count == bytes.count
            return sum + weight * frequency * share * (isWhole ? 1.1 : 1)
        }
    }

    private func pow(_ base: Double, _ exponent: Int) -> Double {
        exponent > 60 ? 0 : (0..<exponent).reduce(1) { result, _ in result * base }
    }

    private func hasExactWord(_ text: String) -> Bool {
        guard let accented else { return true }
        return Self.exactWords(of: text, accented, query.isCaseSensitive).contains { exact.contains($0) }
    }

    private func contains(_ text: String, _ phrase: String) -> Bool {
        let (text, phrase) = (folded(text), folded(phrase))
        return text.firstPlace(of: phrase, from: 0, to: text.count) != nil
    }

    /// Returns a text's scalars, in lower case and without accents unless these count.
    private func folded(_ text: String) -> [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        for character in query.isCaseSensitive ? text : text.lowercased() {
            for scalar in character.unicodeScalars {
                guard !query.isDiacriticSensitive, !scalar.isASCII else {
                    scalars.append(scalar)
                    continue
                }
                scalars.append(contentsOf: Self.plain(scalar))
            }
        }
        return scalars
    }

    /// Returns a letter without its accents, and nothing for an accent.
    private static func plain(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        guard scalar.properties.generalCategory != .nonspacingMark else { return [] }
        let words = IndexWords(TextLanguage.settings("none")).words(of: Array(String(scalar).utf8))
        guard words.count == 1 else { return [scalar] }
        return Array(words[0].token.text.unicodeScalars)
    }
}
