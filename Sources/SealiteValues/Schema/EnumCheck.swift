/// The keyword `enum` of JSON Schema.
struct EnumCheck: SchemaCheck {
    let keyword = "enum"
    let values: Set<BSONKey>

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        let items = try parser.array(keyword.value)
        guard !items.isEmpty else { throw parser.error(.failedToParse, "expected at least one item") }
        values = Set(items.map(\.keyWithoutOrder))
        guard values.count == items.count else { throw parser.error(.failedToParse, "an item is repeated") }
    }

    func isFulfilled(by value: BSON) -> Bool { values.contains(value.keyWithoutOrder) }
}
