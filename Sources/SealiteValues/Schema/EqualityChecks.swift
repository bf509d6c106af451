/// `enum`.
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

/// `uniqueItems`.
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

extension BSON {
    /// A key that is the same for all orders of members.
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
