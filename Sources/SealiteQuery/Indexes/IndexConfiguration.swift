/// The definition of an index with texts in SQL++.
public protocol IndexConfiguration: Sendable {}

/// An index over the values of expressions, optionally restricted to some documents.
///
/// ```swift
/// try people.createIndex(withName: "city", config: ValueIndexConfiguration(["address.city", "age"]))
/// ```
public struct ValueIndexConfiguration: IndexConfiguration, Equatable {
    /// The expressions over a document, in SQL++; each may end with COLLATE. At least one and at most 32.
    public var expressions: [String]
    /// The condition in SQL++ for documents in the index; nil if all documents are in it.
    public var `where`: String?

    /// Creates a definition.
    public init(_ expressions: [String], where condition: String? = nil) {
        self.expressions = expressions
        self.where = condition
    }
}

/// An index over the elements of an array, for UNNEST, ANY, IN and ARRAY\_CONTAINS. A value that isn't an array counts
/// as its own only element, as in UNNEST.
///
/// ```swift
/// try people.createIndex(withName: "likes", config: ArrayIndexConfiguration(path: "likes"))
/// try people.createIndex(withName: "phones", config: ArrayIndexConfiguration(path: "contacts[].phones", expressions: ["type"]))
/// ```
public struct ArrayIndexConfiguration: IndexConfiguration, Equatable {
    /// The path to the array; `[].` precedes the path from each element to a nested array. Steps are names and indexes
    /// from 0.
    public var path: String
    /// The expressions over an element, in SQL++, whose names are the element's properties; each may end with COLLATE.
    /// Nil for the element itself, otherwise at least one and at most 32.
    public var expressions: [String]?

    /// Creates a definition.
    public init(path: String, expressions: [String]? = nil) {
        self.path = path
        self.expressions = expressions
    }
}

/// An index over the words of texts, for MATCH.
///
/// ```swift
/// try notes.createIndex(withName: "words", config: FullTextIndexConfiguration(["title", "body"], language: "en"))
/// ```
public struct FullTextIndexConfiguration: IndexConfiguration, Equatable {
    /// The words that an index leaves out.
    public enum StopWords: Sendable, Equatable {
        /// The published list of the language if it is English or French, otherwise none.
        case automatic
        /// The published list of a language, by its code or its English name.
        case list(String)
        /// The given words.
        case words([String])
        /// No words.
        case none
    }

    /// The expressions over a document, in SQL++: strings are indexed, and the strings in arrays and objects. At least
    /// one and at most 32.
    public var expressions: [String]
    /// The condition in SQL++ for documents in the index; nil if all documents are in it.
    public var `where`: String?
    /// A Boolean value that says whether letters with and without accents are treated as the same.
    public var ignoreAccents: Bool
    /// The language for stemming, by its code or its English name; nil, and an unknown language, index words without
    /// stemming.
    public var language: String?
    /// The words that are left out.
    public var stopWords = StopWords.automatic
    /// A Boolean value that says whether words are stemmed in a known language.
    public var stemming = true
    /// A Boolean value that says whether unstemmed words are indexed in addition to their stems, so that a prefix finds
    /// them.
    public var unstemmedPrefixes = true

    /// Creates a definition.
    public init(
        _ expressions: [String], where condition: String? = nil, ignoreAccents: Bool? = false, language: String? = nil
    ) {
        self.expressions = expressions
        self.where = condition
        self.ignoreAccents = ignoreAccents ?? false
        self.language = language
    }
}

/// An index that was defined with the builder.
public protocol Index: Sendable {}

/// Defines indexes with properties and expressions of the query builder.
public enum IndexBuilder {
    /// Returns an index over the values of the items, in their order.
    public static func valueIndex(items: ValueIndexItem...) -> any Index { valueIndex(items: items) }

    /// Returns an index over the values of the items, in their order.
    public static func valueIndex(items: [ValueIndexItem]) -> any Index {
        BuiltIndex(config: ValueIndexConfiguration(items.map(\.text)))
    }

    /// Returns an index over the words of the items.
    public static func fullTextIndex(items: FullTextIndexItem...) -> FullTextIndex { fullTextIndex(items: items) }

    /// Returns an index over the words of the items.
    public static func fullTextIndex(items: [FullTextIndexItem]) -> FullTextIndex {
        FullTextIndex(config: FullTextIndexConfiguration(items.map(\.text)))
    }
}

/// A property of a full-text index.
public struct FullTextIndexItem: Sendable {
    let text: String

    /// Returns a property by its key path, such as `address.city`.
    public static func property(_ property: String) -> FullTextIndexItem {
        FullTextIndexItem(text: KeyPath.text(property))
    }
}

/// A full-text index that was defined with the builder.
public struct FullTextIndex: Index {
    var config: FullTextIndexConfiguration

    /// Returns the index with letters with and without accents treated as the same, or as different.
    public func ignoreAccents(_ ignoreAccents: Bool) -> FullTextIndex {
        var next = self
        next.config.ignoreAccents = ignoreAccents
        return next
    }

    /// Returns the index with a language for stemming.
    public func language(_ language: String?) -> FullTextIndex {
        var next = self
        next.config.language = language
        return next
    }
}

/// A property or an expression of an index.
public struct ValueIndexItem: Sendable {
    let text: String

    /// Returns a property by its key path, such as `address.city`.
    public static func property(_ property: String) -> ValueIndexItem { ValueIndexItem(text: KeyPath.text(property)) }

    /// Returns an expression of the query builder as an item.
    public static func expression(_ expression: any ExpressionProtocol) -> ValueIndexItem {
        ValueIndexItem(text: "\(expression.tree)")
    }
}

struct BuiltIndex: Index {
    let config: ValueIndexConfiguration
}
