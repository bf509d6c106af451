internal import SealiteValues

/// A parsed write of `bulkWrite`.
enum WriteStatement: Sendable {
    case insert(InsertStatement)
    case update(UpdateStatement)
    case delete(DeleteStatement)

    /// Runs the write and adds its counts and new `_id`s to `result`. `index` is the position of the write in
    /// `bulkWrite`'s array, from 0.
    func run(_ store: some DocumentStore, at index: Int, into result: inout BulkWriteResult) throws {
        switch self {
        case .insert(let statement):
            try statement.run(store)
            result.insertedIDs[index] = statement.id
        case .update(let statement):
            let outcome = try statement.run(store)
            result.matchedCount += outcome.matchedCount
            result.modifiedCount += outcome.modifiedCount
            if let id = outcome.upsertedID { result.upsertedIDs[index] = id }
        case .delete(let statement):
            result.deletedCount += try statement.run(store)
        }
    }
}
