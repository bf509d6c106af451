/// A remark about a JSON Schema, its text or its relationships: where, and of which kind. It names types, properties and keywords, never values.
public struct SchemaIssue: Sendable, Hashable {
    /// The weight of an issue.
    public enum Severity: String, Sendable, Hashable {
        /// There is no schema of object types.
        case error
        /// There is one, which says less or something else than the JSON Schema.
        case warning
    }

    /// The kinds of issues; their names don't change.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The text isn't JSON, has a name twice or is too large.
        case badJSON
        /// Schemas are nested too deep.
        case tooDeep
        /// The schema of documents has no title.
        case missingTitle
        /// The title has more than 57 characters (an error, of embedded types a warning) or bytes (a warning).
        case titleTooLong
        /// Another schema has the title.
        case duplicateTitle
        /// The schema of documents isn't one of objects.
        case rootNotObject
        /// There is no `_id`, or the primary key isn't there.
        case missingID
        /// The primary key has a type that none has.
        case badIDType
        /// A type that models don't have: a value of any type takes its place, or none does.
        case unsupportedType
        /// Several types: a value of any type takes their place.
        case unionType
        /// A keyword that the dialect doesn't have.
        case unsupportedKeyword
        /// A keyword whose value it can't have.
        case invalidKeyword
        /// `type` and `bsonType` side by side.
        case typeAndBSONType
        /// `required` names what isn't among the properties.
        case requiredUnknownProperty
        /// `required` names a list, a set or a dictionary: absent ones are empty.
        case requiredCollection
        /// The default isn't of the property's type.
        case defaultTypeMismatch
        /// A relationship that leads nowhere, or that isn't one.
        case badRef
        /// A relationship of the primary key.
        case relationshipOnID
        /// A relationship of a required property.
        case relationshipOnRequired
        /// Two types or properties get one name.
        case nameClash
        /// An embedded type is inside itself.
        case embeddedCycle
    }

    /// A place in a text, both numbers from 1 on.
    public struct Position: Sendable, Hashable {
        /// The line.
        public let line: Int
        /// The Unicode scalar within the line.
        public let column: Int
    }

    /// The kind.
    public let kind: Kind
    /// The weight.
    public let severity: Severity
    /// The title of the schema of documents; empty where it has none.
    public let title: String
    /// The JSON pointer (RFC 6901) from the schema, or from the relationships, to the place.
    public let path: String
    /// The type, keyword or property that the issue is about; nil where the place says it.
    public let subject: String?
    /// The place in the text, of `badJSON`.
    public let position: Position?
    /// A phrase that says what is wrong.
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
    /// The issue in one line: weight, type, place, reason and kind.
    public var description: String { "\(severity.rawValue): \(message)" }

    /// The issue in one line without its weight.
    public var message: String {
        var place = title
        if !path.isEmpty { place += place.isEmpty ? path : " \(path)" }
        if let position { place += (place.isEmpty ? "" : " ") + "line \(position.line), column \(position.column)" }
        return "\(place.isEmpty ? "" : place + ": ")\(reason) (\(kind.rawValue))"
    }
}

/// The issues because of which a JSON Schema isn't one of object types, and those found beside them.
public struct SchemaIssues: Error, Sendable, Hashable, CustomStringConvertible {
    /// The issues in the order in which they were found.
    public let issues: [SchemaIssue]

    /// Issues.
    public init(_ issues: [SchemaIssue]) { self.issues = issues }

    /// The issues, one a line.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}
