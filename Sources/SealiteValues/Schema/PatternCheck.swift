/// The keyword `pattern` of JSON Schema.
struct PatternCheck: SchemaCheck {
    let keyword = "pattern"
    let pattern: JSONSchema.Pattern

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        pattern = try parser.pattern(parser.string(keyword.value))
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard case .string(let text) = value else { return true }
        return pattern(text)
    }
}
