/// The keyword `uniqueItems` of JSON Schema.
struct UniqueCheck: SchemaCheck {
    let keyword = "uniqueItems"

    static func make(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)? {
        try parser.boolean(keyword.value) ? UniqueCheck() : nil
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard case .array(let items) = value else { return true }
        var seen: Set<BSONKey> = []
        return items.allSatisfy { seen.insert($0.keyWithoutOrder).inserted }
    }
}
