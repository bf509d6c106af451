public import SealiteBase

/// An issue of a JSON Schema, of its text or of its relationships, with its kind and its position. The issue names
/// types, properties and keywords, never values.
public struct SchemaIssue: Sendable, Hashable {
    /// The severity of an issue.
    public enum Severity: String, Sendable, Hashable {
        /// No object types are equivalent to the JSON Schema.
        case error
        /// The object types express less than the JSON Schema, or differ from it.
        case warning
    }

    /// The kinds of issues. Their raw values don't change between versions.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The text isn't JSON, contains a name twice or is too large.
        case badJSON
        /// Schemas are nested too deep.
        case tooDeep
        /// The schema of documents has no title.
        case missingTitle
        /// The title has more than 57 characters or bytes. The issue is an error for more than 57 characters in the
        /// title of a schema of documents, otherwise a warning.
        case titleTooLong
        /// Another schema of documents, or an embedded type that was read before, has the same title.
        case duplicateTitle
        /// The schema of documents isn't a schema of objects.
        case rootNotObject
        /// There is no `_id`, or the primary key doesn't exist.
        case missingID
        /// The primary key has a type that isn't allowed for primary keys.
        case badIDType
        /// Models don't have the type, and the property is mixed instead (a warning), or there is no such type (an
        /// error).
        case unsupportedType
        /// The property has several types: it is mixed instead.
        case unionType
        /// App Services' dialect of JSON Schema doesn't have the keyword.
        case unsupportedKeyword
        /// The keyword has an invalid value.
        case invalidKeyword
        /// The schema has both `type` and `bsonType`.
        case typeAndBSONType
        /// `required` names an unknown property.
        case requiredUnknownProperty
        /// `required` names a list, a set or a dictionary, which is empty if absent.
        case requiredCollection
        /// The default isn't of the property's type.
        case defaultTypeMismatch
        /// The relationship is invalid, its path leads to no property, or the link isn't of the type of its target's
        /// primary key.
        case badRef
        /// The primary key has a relationship.
        case relationshipOnID
        /// A required property has a relationship.
        case relationshipOnRequired
        /// Two types, or two properties of a type, get the same name.
        case nameClash
        /// An embedded type contains itself.
        case embeddedCycle
    }

    /// A position in a text, both numbers counted from 1.
    public struct Position: Sendable, Hashable {
        /// The line in the text, counted from 1.
        public let line: Int
        /// The column: the index of the Unicode scalar in the line, counted from 1.
        public let column: Int
    }

    /// The kind of the issue.
    public let kind: Kind
    /// The severity of the issue.
    public let severity: Severity
    /// The title of the schema of documents; empty if it has none.
    public let title: String
    /// The JSON pointer (RFC 6901) from the schema, or from the relationships, to the position.
    public let path: String
    /// The type, keyword or property that has the issue; nil if the path identifies it.
    public let subject: String?
    /// The position in the text for an issue of the kind `badJSON`; otherwise nil.
    public let position: Position?
    /// A phrase that describes the issue.
    public let reason: String

    init(
        _ kind: Kind, severity: Severity = .error, title: String = "", path: [String] = [], subject: String? = nil,
        position: Position? = nil, _ reason: String
    ) {
        (self.kind, self.severity, self.title, self.subject) = (kind, severity, title, subject)
        (self.position, self.reason) = (position, reason)
        self.path = path.map { "/" + Self.escaped($0) }.joined()
    }

    private static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
        return name.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
    }
}

extension SchemaIssue: CustomStringConvertible {
    /// The issue as one line: severity, type, position, reason and kind.
    public var description: String { "\(severity.rawValue): \(message)" }

    /// The issue as one line without its severity.
    public var message: String {
        var place = title
        if !path.isEmpty { place += place.isEmpty ? path : " \(path)" }
        if let position { place += (place.isEmpty ? "" : " ") + "line \(position.line), column \(position.column)" }
        return "\(place.isEmpty ? "" : place + ": ")\(reason) (\(kind.rawValue))"
    }
}

/// The issues because of which a JSON Schema has no equivalent object types, and the other issues that were found.
public struct SchemaIssues: SealiteError, Sendable, Hashable {
    /// The issues in the order in which they were found.
    public let issues: [SchemaIssue]

    /// Creates an error with issues.
    public init(_ issues: [SchemaIssue]) { self.issues = issues }

    /// The issues, one a line.
    public var reason: String { description }
    /// The identifier of the error, which is `invalid-schema`.
    public var identifier: String { "invalid-schema" }
    /// The issues, one a line.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}
