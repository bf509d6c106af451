public import SealiteBase

/// A compiled JSON Schema (Documentation/Values.md §6).
///
/// A keyword applies to the value itself, also if that is an array, unlike conditions in MongoDB's filters. Values of
/// types that a keyword doesn't concern satisfy it.
public struct JSONSchema: Sendable {
    /// The supported dialects of JSON Schema.
    public enum Dialect: Sendable, Hashable {
        /// `$jsonSchema` of MongoDB: draft 4 with `bsonType`; unknown keywords are refused.
        case mongo
        /// Draft 4 with `bsonType`; `format`, `default`, `definitions`, `id`, `$schema` and unknown keywords are
        /// ignored, `$ref` is refused.
        case draft4
    }

    /// A function that returns whether a text matches a regular expression.
    public typealias Pattern = @Sendable (String) -> Bool
    /// A function that compiles a regular expression; it returns nil if the expression is invalid.
    public typealias PatternCompiler = @Sendable (String) -> Pattern?

    /// A violation of the schema by a value.
    public struct Violation: Sendable, Hashable {
        /// The path from the root to the invalid value or the missing member: names and indices joined by dots, empty
        /// for the root.
        public let path: String
        /// The keyword that isn't satisfied.
        public let keyword: String
    }

    private let root: SchemaNode

    /// The maximum depth of schemas within schemas, the outermost one included; a schema nested deeper is refused.
    static let maximumDepth = 200

    /// Creates a schema by compiling its document.
    ///
    /// - Parameters:
    ///   - document: the schema's document.
    ///   - dialect: the dialect, which determines the keywords.
    ///   - patterns: the compiler of the regular expressions (PCRE, not anchored) of `pattern` and `patternProperties`.
    /// - Throws: `JSONSchemaError`.
    public init(_ document: MongoDocument, dialect: Dialect, patterns: @escaping PatternCompiler)
        throws(JSONSchemaError)
    {
        root = try SchemaParser(dialect: dialect, patterns: patterns).node(document)
    }

    /// Returns whether a value satisfies the schema.
    public func isFulfilled(by value: BSON) -> Bool { root.isFulfilled(by: value) }

    /// Returns whether a document satisfies the schema.
    public func isFulfilled(by document: MongoDocument) -> Bool { root.isFulfilled(by: .document(document)) }

    /// Returns the violations of the schema by a value; empty if there are none.
    public func violations(in value: BSON) -> [Violation] { root.violations(in: value, at: []) }
}

/// The error for an invalid JSON Schema: the path in the schema, never its content.
public struct JSONSchemaError: SealiteError, Sendable, Equatable {
    /// MongoDB's codes for the reasons.
    public enum Code: Int, Sendable, Hashable {
        /// A type in the schema has an unknown name.
        case badValue = 2
        /// A keyword isn't supported, or its value isn't valid.
        case failedToParse = 9
        /// A keyword's value has a type that the keyword doesn't accept.
        case typeMismatch = 14
        /// A regular expression in the schema is invalid.
        case invalidPattern = 51091
    }

    /// MongoDB's error code.
    public let code: Code
    /// The path from the schema's root to the keyword: names and indices joined by dots, empty for the root.
    public let path: String
    /// A phrase that says what is wrong or was expected.
    public let reason: String
    /// The name of ``code`` as lowercase words with hyphens, such as `failed-to-parse`.
    public var identifier: String { Self.identifier(of: code) }

    /// The path in the schema, and the reason.
    public var description: String { "$jsonSchema at '\(path)': \(reason)" }

    init(_ code: Code, at path: String, _ reason: String) { (self.code, self.path, self.reason) = (code, path, reason) }
}
