internal import SealiteDatabase
public import SealiteValues

extension MongoCollection {
    /// Returns the changes of the collection from now on.
    ///
    /// - Parameter pipeline: stages that are applied to each event in the form of a document: `$match`, `$project`,
    ///   `$addFields`, `$set`, `$unset`, `$replaceRoot`, `$replaceWith` and `$redact`, such as `[["$match":
    ///   ["operationType": "insert", "fullDocument.age": ["$gte": 21]]]]`.
    /// - Returns: the changes.
    /// - Throws: `MongoError` for an invalid pipeline; code 20 for a stage that isn't allowed for change events.
    public func watch(_ pipeline: [MongoDocument] = []) throws -> ChangeStream<ChangeStreamEvent<T>> {
        try watch(pipeline, as: ChangeStreamEvent<T>.self)
    }

    /// Returns the documents that a pipeline produces from the changes of the collection from now on, as values of a
    /// type; see ``watch(_:)``.
    public func watch<Event: Codable & Sendable>(
        _ pipeline: [MongoDocument], as type: Event.Type
    ) throws -> ChangeStream<Event> {
        ChangeStream(collection, try ChangePipeline(pipeline))
    }
}
