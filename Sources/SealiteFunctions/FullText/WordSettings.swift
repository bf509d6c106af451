import CStemmer
internal import SealiteJSON

/// The settings of the tokenizer of full-text search: the arguments of `sealite` in an FTS5 table
/// (Documentation/DocumentFormat.md §3.7).
package struct WordSettings: Sendable, Equatable {
    /// The name of the Snowball algorithm by which words are stemmed; nil for no stemming.
    package var language: String?
    /// A Boolean value that says whether accents are removed from words.
    package var ignoresAccents = false
    /// The language whose built-in list has the stop words, which are left out; nil if no list is used.
    package var stopWordList: String?
    /// The stop words that are given one by one; nil if there are none.
    package var stopWords: [String]?
    /// A Boolean value that says whether unstemmed words are indexed in addition to their stems.
    package var keepsWords = true

    package init() {}

    /// The error for invalid arguments of the tokenizer.
    package struct Failure: Error {
        /// A description of the error.
        package let reason: String
    }

    /// Creates settings from the arguments of the tokenizer: pairs of a name and a value, in sequence.
    package init(arguments: [String]) throws(Failure) {
        guard arguments.count.isMultiple(of: 2) else {
            throw Failure(reason: "the arguments must be pairs of a name and a value")
        }
        var seen: Set<String> = []
        for index in stride(from: 0, to: arguments.count, by: 2) {
            let (name, value) = (arguments[index], arguments[index + 1])
            guard seen.insert(name).inserted else { throw Failure(reason: "the setting \"\(name)\" is given twice") }
            switch (name, value) {
            case ("language", _) where Self.algorithms.contains(value): language = value
            case ("accents", "keep"), ("prefixes", "on"): break
            case ("accents", "ignore"): ignoresAccents = true
            case ("prefixes", "off"): keepsWords = false
            case ("stopwords", _) where StopWordData.lists[value] != nil: stopWordList = value
            case ("stopwords", _) where value.contains(","):
                stopWords = value.split(separator: ",").map(String.init)
            default: throw Failure(reason: "there is no setting \"\(name)\" with the value \"\(value)\"")
            }
        }
    }

    /// The settings as text: the arguments of the tokenizer, separated by spaces.
    package var text: String {
        var parts: [String] = []
        if let language { parts.append("language \(language)") }
        if ignoresAccents { parts.append("accents ignore") }
        if let stopWordList { parts.append("stopwords \(stopWordList)") }
        let words = (stopWords ?? []).flatMap(Self.words)
        if !words.isEmpty { parts.append("stopwords \(words.map { "\($0)," }.joined())") }
        if !keepsWords { parts.append("prefixes off") }
        return parts.joined(separator: " ")
    }

    /// The tokenizer with these settings in FTS5's syntax, with quotation marks around arguments with a comma.
    package var tokenizer: String {
        ([FullTextEngine.tokenizerName]
            + text.split(separator: " ").map { $0.contains(",") ? "'\($0)'" : String($0) }).joined(separator: " ")
    }

    /// Creates the settings from their text, as `text` returns it.
    package init(text: String) throws(Failure) {
        try self.init(arguments: text.split(separator: " ").map(String.init))
    }

    /// Returns the words of a text: sequences of letters and numbers.
    private static func words(_ text: String) -> [String] {
        text.unicodeScalars.split { WordTables.shared.entry($0.value).class == WordTables.Class.separator }
            .map { String(String.UnicodeScalarView($0)) }
    }

    // MARK: - Languages

    /// The names of Snowball's algorithms for stemming that the linked library has.
    package static let algorithms: Set<String> = {
        guard var name = unsafe sb_stemmer_list() else { return [] }
        var names: Set<String> = []
        while let text = unsafe name.pointee {
            names.insert(unsafe String(cString: text))
            unsafe name += 1
        }
        return names
    }()

    /// The languages that have lists of stop words.
    package static var stopWordLists: Set<String> { Set(StopWordData.lists.keys) }

    private static let codes = [
        "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish", "nl": "dutch",
        "en": "english", "fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi",
        "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian", "lt": "lithuanian", "ne": "nepali",
        "no": "norwegian", "nb": "norwegian", "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
        "sr": "serbian", "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
    ]

    /// Returns the English name of a language in lower case. The argument is the language's code, of which a part after
    /// `_` or `-` is ignored, or the name itself. An unknown code is returned as if it were a name.
    package static func languageName(_ text: String) -> String {
        let name = text.lowercased().prefix { $0 != "_" && $0 != "-" }
        return codes[String(name)] ?? String(name)
    }
}
