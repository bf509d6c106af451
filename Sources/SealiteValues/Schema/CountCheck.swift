/// The keywords of JSON Schema that limit the number of a string's Unicode scalars (`minLength`, `maxLength`), an
/// array's items (`minItems`, `maxItems`) or a document's members (`minProperties`, `maxProperties`).
struct CountCheck: SchemaCheck {
    let keyword: String
    let limit: Int
    let isMaximum: Bool
    let count: @Sendable (BSON) -> Int?

    static func characters(
        _ parser: SchemaParser, _ keyword: SchemaKeyword
    ) throws(JSONSchemaError) -> (any SchemaCheck)? {
        try make(parser, keyword) { if case .string(let text) = $0 { text.unicodeScalars.count } else { nil } }
    }

    static func items(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)? {
        try make(parser, keyword) { if case .array(let items) = $0 { items.count } else { nil } }
    }

    static func members(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)?
    {
        try make(parser, keyword) { if case .document(let document) = $0 { document.count } else { nil } }
    }

    private static func make(
        _ parser: SchemaParser, _ keyword: SchemaKeyword, _ count: @escaping @Sendable (BSON) -> Int?
    ) throws(JSONSchemaError) -> CountCheck {
        CountCheck(
            keyword: keyword.name, limit: try parser.count(keyword.value), isMaximum: keyword.name.hasPrefix("max"),
            count: count)
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard let count = count(value) else { return true }
        return isMaximum ? count <= limit : count >= limit
    }
}
