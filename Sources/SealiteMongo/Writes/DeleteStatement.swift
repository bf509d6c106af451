internal import SealiteValues

/// A `deleteOne` or `deleteMany`, parsed.
struct DeleteStatement: Sendable {
    private let find: FindStatement

    init(_ filter: MongoDocument, isMany: Bool, context: FilterContext = FilterContext()) throws {
        find = try FindStatement(filter: filter, limit: isMany ? nil : 1, context: context)
    }

    /// Removes documents of a store. Where one can't be removed it throws, and the caller takes back what was removed before.
    ///
    /// - Returns: the number of removed documents.
    func run(_ store: some DocumentStore) throws -> Int {
        var ids: [BSON] = []
        if find.limit == nil {
            try store.visitIDs(find.filter) { id, _ in ids.append(id) }
        } else if let (row, _) = try find.first(store) {
            ids = [row.id]
        }
        for id in ids { try store.remove(id: id) }
        return ids.count
    }
}
