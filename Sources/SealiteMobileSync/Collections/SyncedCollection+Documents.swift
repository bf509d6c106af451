public import SealiteMongo
public import SealiteValues

// Reading and writing synced documents, which needs no network.
extension SyncedCollection {
    /// Counts the synced documents that fulfil a filter.
    public func count(
        _ filter: MongoDocument = [:], options: CountDocumentsOptions = CountDocumentsOptions()
    ) async throws -> Int { try await collection.countDocuments(restricted(filter), options: options) }

    /// Returns the synced documents that fulfil a filter.
    public func find(
        _ filter: MongoDocument = [:], options: FindOptions = FindOptions()
    ) async throws -> FindSequence<T> { collection.find(try await restricted(filter), options: options) }

    /// Returns the first synced document that fulfils a filter; nil where there is none.
    public func findOne(
        _ filter: MongoDocument = [:], options: FindOneOptions = FindOneOptions()
    ) async throws -> T? { try await collection.findOne(restricted(filter), options: options) }

    /// Returns the documents that a pipeline makes of the synced ones.
    public func aggregate<Value: Codable & Sendable>(
        _ pipeline: [MongoDocument], options: AggregateOptions = AggregateOptions(),
        as type: Value.Type = MongoDocument.self
    ) async throws -> AggregateSequence<Value> {
        let first = try await idsBesideOthers().map { ["$match": .document(Self.among($0))] as MongoDocument }
        return collection.aggregate((first.map { [$0] } ?? []) + pipeline, options: options, as: type)
    }

    /// Inserts a document, which is synced from now on.
    ///
    /// - Throws: `MongoError` 11000 where there is a document of its `_id`.
    @discardableResult
    public func insertOne(_ value: T) async throws -> InsertOneResult { try await collection.insertOne(value) }

    /// Inserts documents, which are synced from now on.
    ///
    /// - Throws: as ``SealiteMongo/MongoCollection/insertMany(_:options:)``.
    @discardableResult
    public func insertMany(
        _ values: [T], options: InsertManyOptions = InsertManyOptions()
    ) async throws -> InsertManyResult { try await collection.insertMany(values, options: options) }

    /// Changes the first synced document that fulfils a filter. One that an upsert inserts is synced from now on.
    @discardableResult
    public func updateOne(
        _ filter: MongoDocument, _ update: MongoDocument, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult { try await collection.updateOne(restricted(filter), update, options: options) }

    /// Changes all synced documents that fulfil a filter. One that an upsert inserts is synced from now on.
    @discardableResult
    public func updateMany(
        _ filter: MongoDocument, _ update: MongoDocument, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult { try await collection.updateMany(restricted(filter), update, options: options) }

    /// Puts a document in the place of the first synced one that fulfils a filter, whose `_id` stays.
    @discardableResult
    public func replaceOne(
        _ filter: MongoDocument, _ replacement: T, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult {
        try await collection.replaceOne(restricted(filter), replacement, options: options)
    }

    /// Deletes the first synced document that fulfils a filter, here and at the remote.
    @discardableResult
    public func deleteOne(
        _ filter: MongoDocument, options: DeleteOptions = DeleteOptions()
    ) async throws -> DeleteResult { try await collection.deleteOne(restricted(filter), options: options) }

    /// Deletes all synced documents that fulfil a filter, here and at the remote.
    @discardableResult
    public func deleteMany(
        _ filter: MongoDocument, options: DeleteOptions = DeleteOptions()
    ) async throws -> DeleteResult { try await collection.deleteMany(restricted(filter), options: options) }
}
