internal import SealiteFunctions
internal import SealiteJSON
internal import SealiteValues

/// The members of a JSON Schema, grouped by purpose.
struct SchemaMembers {
    /// The keywords that determine types.
    enum Keyword: String {
        case title, description, type, bsonType, properties, required, items, additionalProperties, uniqueItems
        case `default`, sealite
    }

    private var values: [Keyword: BSON] = [:]
    /// The content of the member `sealite`; nil if it is invalid.
    let extensions: SchemaExtensions?
    /// The keywords of the schema that only validation checks, with their values.
    let constraints: MongoDocument
    /// The keywords of the schema that App Services' dialect doesn't have.
    private(set) var unsupported: [String] = []

    init(_ schema: MongoDocument) {
        var constraints: [MongoDocument.Member] = []
        for member in schema {
            if let keyword = Keyword(rawValue: member.key) {
                values[keyword] = member.value
            } else if SchemaConstraints.keywords.contains(member.key) {
                constraints.append(member)
            } else {
                unsupported.append(member.key)
            }
        }
        self.constraints = MongoDocument(constraints)
        extensions = SchemaExtensions(values[.sealite])
    }

    subscript(_ keyword: Keyword) -> BSON? { values[keyword] }
}

/// The keywords of JSON Schema that object types keep for validation because properties can't express them
/// (Documentation/Models.md §6).
enum SchemaConstraints {
    /// The keywords of JSON Schema draft 4 that are kept.
    static let keywords: Set<String> = [
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
        "minItems", "maxItems", "additionalItems", "minProperties", "maxProperties", "patternProperties",
        "dependencies", "enum", "allOf", "anyOf", "oneOf", "not",
    ]

    /// Returns the validator of the constraints of a property or a type.
    static func validator(of constraints: MongoDocument) throws(JSONSchemaError) -> JSONSchema {
        try JSONSchema(constraints, dialect: .draft4, patterns: pattern)
    }

    @Sendable
    private static func pattern(_ text: String) -> JSONSchema.Pattern? {
        guard let expression = SharedRegularExpression(text) else { return nil }
        return { expression.hasMatch(in: $0) ?? false }
    }
}

/// The member `sealite` of a schema or a property, with the properties of a type that JSON Schema can't express
/// (Documentation/Models.md §3).
struct SchemaExtensions {
    /// The name of the member: `sealite`.
    static let name = "sealite"

    /// The name of the primary key; `.null` if there is none, and nil if the member doesn't state it.
    var primaryKey: BSON?
    var link: String?
    var isIndexed = false
    var vectorIndex: PropertyVectorIndex?
    var isOptional = false
    /// A Boolean value that says whether this position refers to the full definition of the type at an earlier
    /// position.
    var isDefined = false
    var renamedFrom: [String] = []
    var typeDescription: String?
    var removed: MongoDocument = [:]

    /// Creates extensions without any settings.
    init() {}

    /// Reads the value of the member `sealite`; nil if it is invalid. Unknown members of the value are ignored, as is
    /// the policy.
    init?(_ value: BSON?) {
        guard let value else { return }
        guard case .document(let members) = value else { return nil }
        for member in members { guard read(member) else { return nil } }
    }

    private mutating func read(_ member: MongoDocument.Member) -> Bool {
        switch (member.key, member.value) {
        case ("primaryKey", .string), ("primaryKey", .null): primaryKey = member.value
        case ("link", .string(let name)): link = name
        case ("indexed", .bool(let flag)): isIndexed = flag
        case ("vectorIndex", .document(let definition)):
            vectorIndex = PropertyVectorIndex(definition)
            return vectorIndex != nil
        case ("optional", .bool(let flag)): isOptional = flag
        case ("defined", .bool(let flag)): isDefined = flag
        case ("description", .string(let text)): typeDescription = text
        case ("removed", .document(let properties)): removed = properties
        case ("renamedFrom", .array(let items)):
            renamedFrom = items.compactMap { if case .string(let name) = $0 { name } else { nil } }
            return renamedFrom.count == items.count
        case ("primaryKey", _), ("link", _), ("indexed", _), ("vectorIndex", _), ("optional", _), ("description", _),
            ("removed", _),
            ("renamedFrom", _), ("defined", _):
            return false
        default: break
        }
        return true
    }
}
