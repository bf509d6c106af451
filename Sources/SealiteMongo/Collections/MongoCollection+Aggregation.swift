internal import SealiteDatabase
public import SealiteValues

extension MongoCollection {
    /// Returns the documents that a pipeline produces from the collection, as values of a type.
    ///
    /// The pipeline runs on demand, on a snapshot of the database that is taken when the first document is asked for.
    /// Stages such as `$sort` and `$group` read all their input first. A pipeline that ends with `$out` or `$merge` is
    /// one transaction and returns no documents.
    public func aggregate<Value: Codable & Sendable>(
        _ pipeline: [MongoDocument], options: AggregateOptions = AggregateOptions(),
        as type: Value.Type = MongoDocument.self
    ) -> AggregateSequence<Value> {
        AggregateSequence(collection, pipeline, options, isSynced: isSynced)
    }
}
