public import SealiteValues

// Inserting, updating and deleting. Each call is one transaction.
extension MongoCollection {
    /// Inserts a document; an ObjectID is generated for a document without an `_id`.
    ///
    /// - Throws: `MongoError` 11000 if a document with the same `_id` exists, or the same values in a unique index; 53,
    ///   52 or 2 if the `_id` isn't allowed; 171, 17280 or 121 if an index or a schema refuses the document. The error
    ///   of the encoder if the value can't be encoded.
    @discardableResult
    public func insertOne(_ value: T) async throws -> InsertOneResult {
        let statement = try InsertStatement(coding.encode(value))
        try await write { store in try statement.run(store) }
        return InsertOneResult(insertedID: statement.id)
    }

    /// Updates the first document that fulfils a filter, with update operators such as `$set`.
    @discardableResult
    public func updateOne(
        _ filter: MongoDocument, _ update: MongoDocument, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult {
        try await run(try options.statement(filter, Self.operators(update), isMany: false))
    }

    /// Updates the first document that fulfils a filter by the stages of a pipeline.
    @discardableResult
    public func updateOne(
        _ filter: MongoDocument, pipeline: [MongoDocument], options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult {
        try await run(try options.statement(filter, Self.stages(pipeline), isMany: false))
    }

    /// Updates all documents that fulfil a filter, with update operators such as `$set`. If one document can't be
    /// updated, none is updated.
    @discardableResult
    public func updateMany(
        _ filter: MongoDocument, _ update: MongoDocument, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult {
        try await run(try options.statement(filter, Self.operators(update), isMany: true))
    }

    /// Updates all documents that fulfil a filter, with the stages of a pipeline. If one document can't be updated,
    /// none is updated.
    @discardableResult
    public func updateMany(
        _ filter: MongoDocument, pipeline: [MongoDocument], options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult {
        try await run(try options.statement(filter, Self.stages(pipeline), isMany: true))
    }

    /// Replaces the first document that fulfils a filter; its `_id` stays.
    @discardableResult
    public func replaceOne(
        _ filter: MongoDocument, _ replacement: T, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult {
        try await run(try options.statement(filter, replacementDocument(replacement), isMany: false))
    }

    private func run(_ statement: UpdateStatement) async throws -> UpdateResult {
        UpdateResult(try await write { store in try statement.run(store) })
    }

    /// Deletes the first document, in the order of insertion, that fulfils a filter.
    @discardableResult
    public func deleteOne(
        _ filter: MongoDocument, options: DeleteOptions = DeleteOptions()
    ) async throws -> DeleteResult {
        try await delete(filter, options, isMany: false)
    }

    /// Deletes all documents that fulfil a filter; if one document can't be deleted, none is deleted.
    @discardableResult
    public func deleteMany(
        _ filter: MongoDocument, options: DeleteOptions = DeleteOptions()
    ) async throws -> DeleteResult {
        try await delete(filter, options, isMany: true)
    }

    private func delete(
        _ filter: MongoDocument, _ options: DeleteOptions, isMany: Bool
    ) async throws -> DeleteResult {
        let context = FilterContext(variables: options.let)
        let statement = try DeleteStatement(filter, isMany: isMany, context: context)
        return DeleteResult(deletedCount: try await write { store in try statement.run(store) })
    }

    // MARK: - Updates

    /// Returns an update document as a value; throws `MongoError` if its first member isn't an operator, as in a
    /// replacement.
    static func operators(_ update: MongoDocument) throws -> BSON {
        guard update.keys.first?.hasPrefix("$") ?? false else {
            throw MongoError.failedToParse("An update takes an object of operators such as $set, or a pipeline.")
        }
        return .document(update)
    }

    static func stages(_ pipeline: [MongoDocument]) -> BSON { .array(pipeline.map { .document($0) }) }

    /// Returns a replacement, encoded as a document, as a value; throws `MongoError` if its first member's name begins
    /// with `$`, as in an update.
    func replacementDocument(_ value: T) throws -> BSON {
        let document = try coding.encode(value)
        guard !(document.keys.first?.hasPrefix("$") ?? false) else {
            throw MongoError.failedToParse("A replacement takes a document, without operators such as $set.")
        }
        return .document(document)
    }
}
