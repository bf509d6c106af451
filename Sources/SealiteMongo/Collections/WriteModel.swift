public import SealiteValues

/// A write of `bulkWrite`.
public enum WriteModel<T: Codable & Sendable>: Sendable {
    /// An `insertOne`.
    case insertOne(T)
    /// An `updateOne` by operators.
    case updateOne(filter: MongoDocument, update: MongoDocument, options: UpdateOptions = UpdateOptions())
    /// An `updateMany` by operators.
    case updateMany(filter: MongoDocument, update: MongoDocument, options: UpdateOptions = UpdateOptions())
    /// An `updateOne` by the stages of a pipeline.
    case updateOneByPipeline(filter: MongoDocument, [MongoDocument], options: UpdateOptions = UpdateOptions())
    /// An `updateMany` by the stages of a pipeline.
    case updateManyByPipeline(filter: MongoDocument, [MongoDocument], options: UpdateOptions = UpdateOptions())
    /// A `replaceOne`.
    case replaceOne(filter: MongoDocument, replacement: T, options: UpdateOptions = UpdateOptions())
    /// A `deleteOne`.
    case deleteOne(MongoDocument)
    /// A `deleteMany`.
    case deleteMany(MongoDocument)
}

/// A write, parsed.
enum WriteStatement: Sendable {
    case insert(InsertStatement)
    case update(UpdateStatement)
    case delete(DeleteStatement)

    /// Runs the write and adds its counts to a result.
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
