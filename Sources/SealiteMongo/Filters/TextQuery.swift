internal import SealiteFunctions
internal import SealiteValues

/// The languages of text indexes and of `$text`, which decide about stems and stop words.
enum TextLanguage {
    /// Returns the name of a language that a text index or a `$text` may have, `none` for no language; nil for an unknown one.
    static func name(_ text: String) -> String? {
        let name = text.lowercased()
        if name == "none" { return name }
        let known = WordSettings.languageName(name)
        return WordSettings.stopWordLists.contains(known) && WordSettings.algorithms.contains(known) ? known : nil
    }

    /// Returns how the words of a text in a language are found.
    static func settings(_ language: String, keepsAccents: Bool = false) -> WordSettings {
        var settings = WordSettings()
        settings.ignoresAccents = !keepsAccents
        settings.keepsWords = false
        guard language != "none" else { return settings }
        settings.language = language
        settings.stopWordList = language
        return settings
    }
}

/// A parsed `$text`: the words and phrases that a document must have, and those that it must not have.
struct TextQuery: Sendable {
    /// Words of the text that is searched for, as they are written.
    let terms: [String]
    let negatedTerms: [String]
    let phrases: [String]
    let negatedPhrases: [String]
    /// The name of the language; nil for that of the index.
    let language: String?
    let isCaseSensitive: Bool
    let isDiacriticSensitive: Bool

    init(_ operand: BSON) throws {
        let members = try requireDocument(operand, 14, "$text takes an object")
        var (language, flags) = (String?.none, [String: Bool]())
        for member in members {
            switch member.key {
            case "$search": _ = try requireString(member.value, 14, "$text takes a string as '$search'")
            case "$language":
                let text = try requireString(member.value, 14, "$text takes a string as '$language'")
                if !text.isEmpty {
                    language = try require(
                        TextLanguage.name(text), 2,
                        "$text doesn't know the language '\(text)'; 'none' is for texts of any.")
                }
            case "$caseSensitive", "$diacriticSensitive":
                guard case .bool(let flag) = member.value else {
                    throw MongoError.typeMismatch("$text takes a boolean as '\(member.key)'.")
                }
                flags[member.key] = flag
            default: throw MongoError.badValue("$text doesn't know the member '\(member.key)'.")
            }
        }
        let search = try require(members["$search"]?.text, 4, "$text needs the member '$search'.")
        self.language = language
        isCaseSensitive = flags["$caseSensitive"] ?? false
        isDiacriticSensitive = flags["$diacriticSensitive"] ?? false
        var reader = SearchReader()
        reader.read(search)
        (terms, negatedTerms, phrases, negatedPhrases) =
            (reader.terms, reader.negatedTerms, reader.phrases, reader.negatedPhrases)
    }
}

/// The parts of a text that is searched for: words, phrases in quotation marks, and negated ones after a hyphen.
private struct SearchReader {
    private(set) var terms: [String] = []
    private(set) var negatedTerms: [String] = []
    private(set) var phrases: [String] = []
    private(set) var negatedPhrases: [String] = []

    mutating func read(_ text: String) {
        var (isNegated, phrase, word, isAfterSpace) = (false, String?.none, "", true)
        func finish(_ reader: inout SearchReader) {
            guard !word.isEmpty else { return }
            // The words of a phrase are searched for, too.
            if !isNegated { reader.terms.append(word) } else if phrase == nil { reader.negatedTerms.append(word) }
            word = ""
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"":
                finish(&self)
                if let whole = phrase {
                    if isNegated { negatedPhrases.append(whole) } else { phrases.append(whole) }
                    (phrase, isNegated) = (nil, false)
                } else {
                    phrase = ""
                }
                isAfterSpace = false
                continue
            case "-" where phrase == nil && isAfterSpace:
                isNegated = true
                isAfterSpace = false
                continue
            case "-", " ", "\t", "\n", "\r", "\0":
                finish(&self)
                isAfterSpace = scalar != "-"
                if phrase == nil, isAfterSpace { isNegated = false }
            default:
                word.unicodeScalars.append(scalar)
                isAfterSpace = false
            }
            phrase?.unicodeScalars.append(scalar)
        }
        finish(&self)
    }
}
