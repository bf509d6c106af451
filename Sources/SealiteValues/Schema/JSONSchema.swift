/// A JSON Schema, compiled (Documentation/Values.md §6).
///
/// There is no array traversal: a keyword looks at the value itself, and passes for a value of a type that it isn't about.
public struct JSONSchema: Sendable {
    /// The sets of keywords.
    public enum Dialect: Sendable, Hashable {
        /// `$jsonSchema` of MongoDB: draft 4 with `bsonType`; what it doesn't know is refused.
        case mongo
        /// Draft 4, with `bsonType` too; `format`, `default`, `definitions`, `id`, `$schema` and unknown keywords mean nothing, `$ref` is refused.
        case draft4
    }

    /// A test of a text, such as a compiled regular expression.
    public typealias Pattern = @Sendable (String) -> Bool
    /// The maker of patterns: nil for a text that is no regular expression.
    public typealias PatternCompiler = @Sendable (String) -> Pattern?

    /// A value that doesn't keep to the schema.
    public struct Violation: Sendable, Hashable {
        /// The names and indexes from the value's root to the place, with points between them.
        public let path: String
        /// The keyword that isn't fulfilled.
        public let keyword: String
    }

    private let root: SchemaNode

    /// The deepest nesting of schemas in each other.
    static let maximumDepth = 200

    /// A schema.
    ///
    /// - Parameters:
    ///   - document: the schema's document.
    ///   - dialect: which keywords there are.
    ///   - patterns: makes the regular expressions (PCRE, not anchored) of `pattern` and `patternProperties`.
    /// - Throws: `JSONSchemaError`.
    public init(_ document: MongoDocument, dialect: Dialect, patterns: @escaping PatternCompiler)
        throws(JSONSchemaError)
    {
        root = try SchemaParser(dialect: dialect, patterns: patterns).node(document)
    }

    /// Returns whether a value keeps to the schema.
    public func isFulfilled(by value: BSON) -> Bool { root.isFulfilled(by: value) }

    /// Returns whether a document keeps to the schema.
    public func isFulfilled(by document: MongoDocument) -> Bool { root.isFulfilled(by: .document(document)) }

    /// Returns where a value doesn't keep to the schema; empty if it does.
    public func violations(in value: BSON) -> [Violation] { root.violations(in: value, at: []) }
}

/// A schema: what its keywords demand, all of it.
struct SchemaNode: Sendable {
    var checks: [any SchemaCheck] = []

    /// Returns whether a value keeps to all of it.
    func isFulfilled(by value: BSON) -> Bool { checks.allSatisfy { $0.isFulfilled(by: value) } }

    /// Returns where a value fails, all checks after each other.
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        checks.flatMap { $0.violations(in: value, at: path) }
    }
}

/// The demand of a keyword, together with the keywords that belong to it.
protocol SchemaCheck: Sendable {
    /// The keyword that violations name.
    var keyword: String { get }

    /// Returns whether a value keeps to it.
    func isFulfilled(by value: BSON) -> Bool

    /// The places where a value fails; a keyword about members or items looks into them.
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation]
}

extension SchemaCheck {
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        isFulfilled(by: value) ? [] : [JSONSchema.Violation(path: path.joined(separator: "."), keyword: keyword)]
    }
}
