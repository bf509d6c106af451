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

    private func delete(_ filter: MongoDocument, _ options: DeleteOptions, isMany: Bool) async throws -> DeleteResult {
        let context = FilterContext(variables: options.let)
        let statement = try DeleteStatement(filter, isMany: isMany, context: context)
        return DeleteResult(deletedCount: try await write { store in try statement.run(store) })
    }

    // MARK: - Updates

    /// Returns an update document as a value; throws `MongoError` if its first member isn't an operator, as in a
    /// replacement.
    static func operators(_ update: MongoDocument) throws -> BSON {
        try require(
            update.keys.first?.hasPrefix("$") ?? false,
            .failedToParse("An update takes an object of operators such as $set, or a pipeline."))
        return .document(update)
    }

    static func stages(_ pipeline: [MongoDocument]) -> BSON { .array(pipeline.map { .document($0) }) }

    /// Returns a replacement, encoded as a document, as a value; throws `MongoError` if its first member's name begins
    /// with `$`, as in an update.
    func replacementDocument(_ value: T) throws -> BSON {
        let document = try coding.encode(value)
        try require(
            !(document.keys.first?.hasPrefix("$") ?? false),
            .failedToParse("A replacement takes a document, without operators such as $set."))
        return .document(document)
    }
}

/// The result of `insertOne`.
public struct InsertOneResult: Sendable, Hashable {
    /// The `_id` of the inserted document.
    public let insertedID: BSON
}

/// The options of `updateOne`, `updateMany` and `replaceOne`.
public struct UpdateOptions: Sendable {
    /// The filters for items of arrays, to which `$[name]` in paths of the update refers.
    public var arrayFilters: [MongoDocument]
    /// A Boolean value that says whether a document is inserted if none fulfils the filter. The default is false.
    public var upsert: Bool
    /// The sort order that determines which matching document is the first one, for updates of one document; empty for
    /// the natural order. Not allowed for `updateMany`.
    public var sort: MongoDocument
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(
        arrayFilters: [MongoDocument] = [], upsert: Bool = false, sort: MongoDocument = [:],
        `let` variables: MongoDocument = [:]
    ) {
        (self.arrayFilters, self.upsert, self.sort, self.let) = (arrayFilters, upsert, sort, variables)
    }

    func statement(_ filter: MongoDocument, _ update: BSON, isMany: Bool) throws -> UpdateStatement {
        try UpdateStatement(
            filter, update, isMany: isMany, isUpsert: upsert, arrayFilters: arrayFilters.map { .document($0) },
            sort: sort, context: FilterContext(variables: self.let))
    }
}

/// The result of `updateOne`, `updateMany` and `replaceOne`.
public struct UpdateResult: Sendable, Hashable {
    /// The number of documents to which the update was applied, including those that it left equal; 0 if a document was
    /// inserted instead.
    public let matchedCount: Int
    /// The number of documents that were changed, without those that the update left equal.
    public let modifiedCount: Int
    /// The `_id` of the document that was inserted; nil if none was.
    public let upsertedID: BSON?
    /// 1 if a document was inserted, otherwise 0.
    public var upsertedCount: Int { upsertedID == nil ? 0 : 1 }

    init(_ outcome: UpdateStatement.Outcome) {
        (matchedCount, modifiedCount) = (outcome.matchedCount, outcome.modifiedCount)
        upsertedID = outcome.upsertedID
    }
}

/// The options of `deleteOne` and `deleteMany`.
public struct DeleteOptions: Sendable {
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(`let` variables: MongoDocument = [:]) { self.let = variables }
}

/// The result of `deleteOne` and `deleteMany`.
public struct DeleteResult: Sendable, Hashable {
    /// The number of documents that were deleted.
    public let deletedCount: Int
}
