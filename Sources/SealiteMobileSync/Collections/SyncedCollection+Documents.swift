public import SealiteMongo
public import SealiteValues

// Reading and writing synced documents. None of it uses the network.
extension SyncedCollection {
    /// Counts the synced documents that match a filter.
    public func count(
        _ filter: MongoDocument = [:], options: CountDocumentsOptions = CountDocumentsOptions()
    ) async throws -> Int { try await collection.countDocuments(restricted(filter), options: options) }

    /// Returns the synced documents that match a filter.
    public func find(
        _ filter: MongoDocument = [:], options: FindOptions = FindOptions()
    ) async throws -> FindSequence<T> { collection.find(try await restricted(filter), options: options) }

    /// Returns the first synced document that matches a filter; nil if there is none.
    public func findOne(
        _ filter: MongoDocument = [:], options: FindOneOptions = FindOneOptions()
    ) async throws -> T? { try await collection.findOne(restricted(filter), options: options) }

    /// Returns the results of an aggregation pipeline over the synced documents. If it writes to this collection, with
    /// `$out` or `$merge`, documents that it inserts are added to the synced documents.
    public func aggregate<Value: Codable & Sendable>(
        _ pipeline: [MongoDocument], options: AggregateOptions = AggregateOptions(),
        as type: Value.Type = MongoDocument.self
    ) async throws -> AggregateSequence<Value> {
        let first = try await idsBesideOthers().map { ["$match": .document(Self.among($0))] as MongoDocument }
        return collection.aggregate((first.map { [$0] } ?? []) + pipeline, options: options, as: type)
    }

    /// Inserts a document and adds it to the synced documents.
    ///
    /// - Throws: `MongoError` 11000 if a document with its `_id` exists.
    @discardableResult
    public func insertOne(_ value: T) async throws -> InsertOneResult { try await collection.insertOne(value) }

    /// Inserts documents and adds them to the synced documents.
    ///
    /// - Throws: the errors of `MongoCollection.insertMany(_:options:)`.
    @discardableResult
    public func insertMany(
        _ values: [T], options: InsertManyOptions = InsertManyOptions()
    ) async throws -> InsertManyResult { try await collection.insertMany(values, options: options) }

    /// Updates the first synced document that matches a filter. A document inserted by an upsert is added to the synced
    /// documents.
    @discardableResult
    public func updateOne(
        _ filter: MongoDocument, _ update: MongoDocument, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult { try await collection.updateOne(restricted(filter), update, options: options) }

    /// Updates all synced documents that match a filter. A document inserted by an upsert is added to the synced
    /// documents.
    @discardableResult
    public func updateMany(
        _ filter: MongoDocument, _ update: MongoDocument, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult { try await collection.updateMany(restricted(filter), update, options: options) }

    /// Replaces the first synced document that matches a filter, keeping its `_id`. A document inserted by an upsert is
    /// added to the synced documents.
    @discardableResult
    public func replaceOne(
        _ filter: MongoDocument, _ replacement: T, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult {
        try await collection.replaceOne(restricted(filter), replacement, options: options)
    }

    /// Deletes the first synced document that matches a filter, locally and at the remote.
    @discardableResult
    public func deleteOne(
        _ filter: MongoDocument, options: DeleteOptions = DeleteOptions()
    ) async throws -> DeleteResult { try await collection.deleteOne(restricted(filter), options: options) }

    /// Deletes all synced documents that match a filter, locally and at the remote.
    @discardableResult
    public func deleteMany(
        _ filter: MongoDocument, options: DeleteOptions = DeleteOptions()
    ) async throws -> DeleteResult { try await collection.deleteMany(restricted(filter), options: options) }
}
