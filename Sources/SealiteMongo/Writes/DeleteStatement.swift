internal import SealiteValues

/// A `deleteOne` or `deleteMany`, parsed.
struct DeleteStatement: Sendable {
    private let find: FindStatement

    init(_ filter: MongoDocument, isMany: Bool, context: FilterContext = FilterContext()) throws {
        find = try FindStatement(filter: filter, limit: isMany ? nil : 1, context: context)
    }

    /// Removes documents of a store, all of them or, where one can't be, none.
    ///
    /// - Returns: the number of removed documents.
    func run(_ store: some DocumentStore) throws -> Int {
        var ids: [BSON] = []
        try find.rows(store) { row, _ in
            ids.append(row.id)
            return true
        }
        return try store.nested {
            for id in ids { try store.remove(id: id) }
            return ids.count
        }
    }
}
