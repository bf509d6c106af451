/// The supported keywords of JSON Schema with the functions that parse them.
enum SchemaKeywords {
    /// A function that parses a keyword and returns its check; nil if it is part of another keyword's check, or has no
    /// effect on values.
    typealias Reading = @Sendable (SchemaParser, SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)?

    /// Returns the function that parses a keyword; nil for an unknown one.
    static func reading(of name: String) -> Reading? { readings[name] }

    /// The keywords of draft 4 that MongoDB's dialect knows and refuses.
    static let unsupported: Set<String> = ["$ref", "$schema", "default", "definitions", "format", "id"]

    private static let readings: [String: Reading] = [
        "type": TypeCheck.jsonType, "bsonType": TypeCheck.bsonType, "enum": EnumCheck.init,
        "minimum": BoundCheck.minimum, "maximum": BoundCheck.maximum, "exclusiveMinimum": BoundCheck.exclusive,
        "exclusiveMaximum": BoundCheck.exclusive, "multipleOf": MultipleCheck.init,
        "minLength": CountCheck.characters, "maxLength": CountCheck.characters, "pattern": PatternCheck.init,
        "minItems": CountCheck.items, "maxItems": CountCheck.items, "uniqueItems": UniqueCheck.make,
        "items": ItemsCheck.items, "additionalItems": ItemsCheck.additional,
        "minProperties": CountCheck.members, "maxProperties": CountCheck.members, "required": RequiredCheck.init,
        "properties": MembersCheck.make, "patternProperties": MembersCheck.make,
        "additionalProperties": MembersCheck.make, "dependencies": DependenciesCheck.init,
        "allOf": CombinedCheck.init, "anyOf": CombinedCheck.init, "oneOf": CombinedCheck.init, "not": NotCheck.init,
        "title": text, "description": text, "encrypt": EncryptCheck.init, "encryptMetadata": EncryptCheck.metadata,
    ]

    /// Checks that an annotation (`title`, `description`) is a string, and returns nil.
    private static func text(
        _ parser: SchemaParser, _ keyword: SchemaKeyword
    ) throws(JSONSchemaError) -> (any SchemaCheck)? {
        _ = try parser.string(keyword.value)
        return nil
    }
}
