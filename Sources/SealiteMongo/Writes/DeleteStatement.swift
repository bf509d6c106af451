internal import SealiteDatabase
internal import SealiteValues

/// A parsed `deleteOne` or `deleteMany`.
struct DeleteStatement: Sendable {
    private let find: FindStatement

    init(_ filter: MongoDocument, isMany: Bool, context: FilterContext = FilterContext()) throws {
        find = try FindStatement(filter: filter, limit: isMany ? nil : 1, context: context)
    }

    /// Deletes the matching documents of a store, or the first one. If one can't be deleted, this throws, and the
    /// caller rolls back the deletions before it.
    ///
    /// - Returns: the number of deleted documents.
    func run(_ store: some DocumentStore) throws -> Int {
        var ids: [BSON] = []
        if find.limit == nil {
            try store.visitIDs(find.filter) { id, _ in ids.append(id) }
        } else if let (row, _) = try find.first(store) {
            ids = [row.id]
        }
        let counter = WriteControl.counting(ids.count)
        for id in ids {
            try store.remove(id: id)
            counter?.count()
        }
        return ids.count
    }
}
