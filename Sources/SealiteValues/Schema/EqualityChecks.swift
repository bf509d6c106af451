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
