public import SealiteValues

/// A write of `bulkWrite`.
public enum WriteModel<T: Codable & Sendable>: Sendable {
    /// An `insertOne` of a document.
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
    /// A `deleteOne` with a filter.
    case deleteOne(MongoDocument)
    /// A `deleteMany` with a filter.
    case deleteMany(MongoDocument)
}
