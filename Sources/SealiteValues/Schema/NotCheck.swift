/// The keyword `not` of JSON Schema.
struct NotCheck: SchemaCheck {
    let keyword = "not"
    let node: SchemaNode

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        node = try parser.schema(keyword.value)
    }

    func isFulfilled(by value: BSON) -> Bool { !node.isFulfilled(by: value) }
}
