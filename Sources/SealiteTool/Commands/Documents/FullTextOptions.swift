import ArgumentParser
import SealiteQuery

/// What is said of the words of a full-text index.
struct FullTextOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The language whose forms of a word are one: a code or an English name.", valueName: "language"))
    var language: String?

    @Flag(help: "Take letters with and without accents for the same.")
    var ignoreAccents = false

    @Option(
        help: ArgumentHelp(
            "Words that are left out, with commas between them; or the language whose list is taken; or none.",
            valueName: "words"))
    var stopWords: String?

    @Flag(help: "Take words as they are written, in a language whose stop words are left out.")
    var noStemming = false

    @Flag(help: "Keep no words beside their stems: a smaller index, in which a prefix finds stems alone.")
    var noUnstemmedPrefixes = false

    var isGiven: Bool { language != nil || ignoreAccents || stopWords != nil || noStemming || noUnstemmedPrefixes }

    /// The definition of an index.
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
}
