extension BSON {
    /// A key of the value that is the same for documents with the same members in another order.
    package var keyWithoutOrder: BSONKey { BSONKey(withSortedMembers) }

    private var withSortedMembers: BSON {
        switch self {
        case .document(let document):
            let sorted = document.members.sorted { BytewiseOrder.compare($0.key, $1.key) < 0 }
            return .document(MongoDocument(sorted.map { .init($0.key, $0.value.withSortedMembers) }))
        case .array(let items): return .array(items.map(\.withSortedMembers))
        default: return self
        }
    }
}

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

/// The keywords `allOf`, `anyOf` and `oneOf` of JSON Schema.
struct CombinedCheck: SchemaCheck {
    let keyword: String
    let nodes: [SchemaNode]

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        var nodes: [SchemaNode] = []
        for (index, item) in try parser.array(keyword.value).enumerated() {
            nodes.append(try parser.below(String(index)).schema(item))
        }
        guard !nodes.isEmpty else { throw parser.error(.failedToParse, "expected at least one item") }
        (self.nodes, self.keyword) = (nodes, keyword.name)
    }

    func isFulfilled(by value: BSON) -> Bool {
        switch keyword {
        case "allOf": nodes.allSatisfy { $0.isFulfilled(by: value) }
        case "anyOf": nodes.contains { $0.isFulfilled(by: value) }
        default: nodes.count { $0.isFulfilled(by: value) } == 1
        }
    }

    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        if keyword == "allOf" { return nodes.flatMap { $0.violations(in: value, at: path) } }
        return isFulfilled(by: value) ? [] : [JSONSchema.Violation(path: path.joined(separator: "."), keyword: keyword)]
    }
}

/// The keyword `not` of JSON Schema.
struct NotCheck: SchemaCheck {
    let keyword = "not"
    let node: SchemaNode

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        node = try parser.schema(keyword.value)
    }

    func isFulfilled(by value: BSON) -> Bool { !node.isFulfilled(by: value) }
}
