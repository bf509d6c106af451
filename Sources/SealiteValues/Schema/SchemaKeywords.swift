/// The keywords with their parsers.
enum SchemaKeywords {
    /// Returns the check of a keyword; nil if it is part of another keyword's check, or has no effect.
    typealias Reading = @Sendable (SchemaParser, SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)?

    /// Returns the parser of a keyword; nil for an unknown one.
    static func reading(of name: String) -> Reading? { readings[name] }

    /// The keywords of draft 4 that MongoDB's dialect refuses.
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

    /// Checks that an annotation is a string.
    private static func text(
        _ parser: SchemaParser, _ keyword: SchemaKeyword
    ) throws(JSONSchemaError) -> (any SchemaCheck)? {
        _ = try parser.string(keyword.value)
        return nil
    }
}
