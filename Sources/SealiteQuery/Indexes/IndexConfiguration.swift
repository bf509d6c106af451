/// The definition of an index, whose expressions are texts in SQL++.
public protocol IndexConfiguration: Sendable {}

/// The definition of an index over the values of expressions, optionally restricted to the documents that fulfil a
/// condition.
///
/// ```swift
/// try people.createIndex(withName: "city", config: ValueIndexConfiguration(["address.city", "age"]))
/// ```
public struct ValueIndexConfiguration: IndexConfiguration, Equatable {
    /// The expressions over a document, in SQL++; each may end with COLLATE. 1 to 32 expressions.
    public var expressions: [String]
    /// A condition in SQL++: only documents that fulfil it are in the index; nil if all documents are in it.
    public var `where`: String?

    /// Creates a definition of a value index.
    public init(_ expressions: [String], where condition: String? = nil) {
        self.expressions = expressions
        self.where = condition
    }
}

/// The definition of an index over the elements of an array, for UNNEST, ANY, IN and ARRAY\_CONTAINS. A value that
/// isn't an array counts as its own only element, as in UNNEST.
///
/// ```swift
/// try people.createIndex(withName: "likes", config: ArrayIndexConfiguration(path: "likes"))
/// let phones = ArrayIndexConfiguration(path: "contacts[].phones", expressions: ["type"])
/// try people.createIndex(withName: "phones", config: phones)
/// ```
public struct ArrayIndexConfiguration: IndexConfiguration, Equatable {
    /// The path to the array. If the array is nested in the elements of another array, `[].` separates the path to the
    /// outer array from the path within its elements. Paths consist of names and indexes from 0.
    public var path: String
    /// The expressions over an element, in SQL++: names in them are properties of the element, and each may end with
    /// COLLATE. 1 to 32 expressions; nil to index the element itself.
    public var expressions: [String]?

    /// Creates a definition of an array index.
    public init(path: String, expressions: [String]? = nil) {
        self.path = path
        self.expressions = expressions
    }
}

/// The definition of an index of the words of texts, for MATCH.
///
/// ```swift
/// let words = FullTextIndexConfiguration(["title", "body"], language: "en")
/// try notes.createIndex(withName: "words", config: words)
/// ```
public struct FullTextIndexConfiguration: IndexConfiguration, Equatable {
    /// The words that a full-text index leaves out.
    public enum StopWords: Sendable, Equatable {
        /// The words of the published list of stop words of the index's language, if it is English or French; otherwise
        /// no words.
        case automatic
        /// The words of the published list of stop words of the given language, by its code or its English name.
        case list(String)
        /// The given words.
        case words([String])
        /// No words are left out.
        case none
    }

    /// The expressions over a document, in SQL++: their strings are indexed, including the strings in arrays and
    /// objects. 1 to 32 expressions.
    public var expressions: [String]
    /// A condition in SQL++: only documents that fulfil it are in the index; nil if all documents are in it.
    public var `where`: String?
    /// A Boolean value that says whether the index treats letters with and without accents as the same.
    public var ignoreAccents: Bool
    /// The language by whose rules words are reduced to their stems, given by its code or its English name. Nil or an
    /// unknown language: words aren't stemmed.
    public var language: String?
    /// The words that the index leaves out.
    public var stopWords = StopWords.automatic
    /// A Boolean value that says whether words are reduced to their stems, if the language is known.
    public var stemming = true
    /// A Boolean value that says whether unstemmed words are indexed in addition to their stems, so that a prefix finds
    /// them.
    public var unstemmedPrefixes = true

    /// Creates a definition of a full-text index. Nil for `ignoreAccents` stands for false.
    public init(
        _ expressions: [String], where condition: String? = nil, ignoreAccents: Bool? = false, language: String? = nil
    ) {
        self.expressions = expressions
        self.where = condition
        self.ignoreAccents = ignoreAccents ?? false
        self.language = language
    }
}
