import ArgumentParser
import SealiteDatabase
import SealiteQuery

/// The options that determine how a full-text index treats the words of texts: language, accents, stop words and
/// stemming.
struct FullTextOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The language of the texts, by whose rules words are stemmed: a code such as en, or an English name. Default: no stemming.",
            valueName: "language"))
    var language: String?

    @Flag(help: "Ignore accents.")
    var ignoreAccents = false

    @Option(
        help: ArgumentHelp(
            """
            Words that the index leaves out: words separated by commas (a single word ends with a comma), a language whose list \
            is used, or 'none'. Default: the list of --language, if there is one.
            """,
            valueName: "words"))
    var stopWords: String?

    @Flag(help: "Don't stem words; only remove the language's stop words.")
    var noStemming = false

    @Flag(help: "Store stems only, not the words: a smaller index, in which a prefix search finds stems only.")
    var noUnstemmedPrefixes = false

    /// The names of these options, for messages.
    static let names = "--language, --ignore-accents, --stop-words, --no-stemming and --no-unstemmed-prefixes"

    var isGiven: Bool { language != nil || ignoreAccents || stopWords != nil || noStemming || noUnstemmedPrefixes }

    /// Returns the definition of a full-text index over the expressions, with the settings of these options.
    func configuration(_ expressions: [String], where condition: String?) -> FullTextIndexConfiguration {
        var made = FullTextIndexConfiguration(
            expressions, where: condition, ignoreAccents: ignoreAccents, language: language)
        made.stemming = !noStemming
        made.unstemmedPrefixes = !noUnstemmedPrefixes
        switch stopWords {
        case nil: break
        case "none"?: made.stopWords = .none
        case let words? where words.contains(","): made.stopWords = .words(words.split(separator: ",").map(String.init))
        case let name?: made.stopWords = .list(name)
        }
        return made
    }

    // MARK: - Listing

    /// Returns the settings with which a full-text index treats words, each as a part of a line for people, such as
    /// `accents ignored`.
    static func description(of index: FullTextIndexConfiguration, _ isLanguageKnown: Bool) -> [String] {
        var parts = ["full text"]
        if let language = index.language {
            parts.append("language \(language)\(isLanguageKnown ? "" : " (no stemmer)")")
        }
        if index.ignoreAccents { parts.append("accents ignored") }
        switch index.stopWords {
        case .automatic, .none: break
        case .list(let name): parts.append("stop words \(name)")
        case .words(let words): parts.append("stop words \(words.joined(separator: ","))")
        }
        if !index.stemming { parts.append("no stemming") }
        if !index.unstemmedPrefixes { parts.append("no unstemmed prefixes") }
        return parts
    }

    /// Returns the settings with which a full-text index treats words, as JSON.
    static func json(_ index: FullTextIndexConfiguration) -> JSONValue {
        let stopWords: JSONValue =
            switch index.stopWords {
            case .automatic, .none: .null
            case .list(let name): .text(name)
            case .words(let words): .array(words.map { .text($0) })
            }
        return .object([
            ("ignoreAccents", .bool(index.ignoreAccents)), ("stopWords", stopWords),
            ("stemming", .bool(index.stemming)), ("unstemmedPrefixes", .bool(index.unstemmedPrefixes)),
        ])
    }
}
