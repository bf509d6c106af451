internal import SealiteFunctions
internal import SealiteValues

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
