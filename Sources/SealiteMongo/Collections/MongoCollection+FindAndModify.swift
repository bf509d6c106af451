public import SealiteValues

// Changing one document and returning it.
extension MongoCollection {
    /// Updates the first document that fulfils a filter by update operators and returns it, by default as it was before
    /// the update; nil if no document fulfils the filter. If a document was inserted instead, by `upsert`, it is
    /// returned only with `returnDocument: .after`.
    public func findOneAndUpdate(
        _ filter: MongoDocument, _ update: MongoDocument,
        options: FindOneAndUpdateOptions = FindOneAndUpdateOptions()
    ) async throws -> T? {
        try await run(try options.statement(filter, Self.operators(update)))
    }

    /// Updates the first document that fulfils a filter by the stages of a pipeline and returns it, by default as it
    /// was before the update; nil if no document fulfils the filter. If a document was inserted instead, by `upsert`,
    /// it is returned only with `returnDocument: .after`.
    public func findOneAndUpdate(
        _ filter: MongoDocument, pipeline: [MongoDocument],
        options: FindOneAndUpdateOptions = FindOneAndUpdateOptions()
    ) async throws -> T? {
        try await run(try options.statement(filter, Self.stages(pipeline)))
    }

    /// Replaces the first document that fulfils a filter and returns it, by default as it was before; nil if no
    /// document fulfils the filter. If the replacement was inserted instead, by `upsert`, it is returned only with
    /// `returnDocument: .after`.
    public func findOneAndReplace(
        _ filter: MongoDocument, _ replacement: T, options: FindOneAndUpdateOptions = FindOneAndUpdateOptions()
    ) async throws -> T? {
        try await run(try options.statement(filter, replacementDocument(replacement)))
    }

    /// Deletes the first document that fulfils a filter and returns it; nil if no document fulfils the filter.
    public func findOneAndDelete(
        _ filter: MongoDocument, options: FindOneAndDeleteOptions = FindOneAndDeleteOptions()
    ) async throws -> T? {
        try await run(
            try FindAndModifyStatement(
                filter, .remove, sort: options.sort, projection: options.projection,
                context: FilterContext(variables: options.let)))
    }

    private func run(_ statement: FindAndModifyStatement) async throws -> T? {
        let outcome = try await write { store in try statement.run(store) }
        return try outcome.value.map { try coding.decode($0) }
    }
}

/// The options of `findOneAndUpdate` and `findOneAndReplace`.
public struct FindOneAndUpdateOptions: Sendable {
    /// The filters for items of arrays, to which `$[name]` in paths of the update refers.
    public var arrayFilters: [MongoDocument]
    /// The projection of the returned document; empty for the whole document.
    public var projection: MongoDocument
    /// The state of the changed document that is returned. The default is the state before the update.
    public var returnDocument: ReturnDocument
    /// The sort order that determines which matching document is the first one; empty for the natural order.
    public var sort: MongoDocument
    /// A Boolean value that says whether a document is inserted if none fulfils the filter. The default is false.
    public var upsert: Bool
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(
        arrayFilters: [MongoDocument] = [], projection: MongoDocument = [:], returnDocument: ReturnDocument = .before,
        sort: MongoDocument = [:], upsert: Bool = false, `let` variables: MongoDocument = [:]
    ) {
        (self.arrayFilters, self.projection, self.returnDocument) = (arrayFilters, projection, returnDocument)
        (self.sort, self.upsert, self.let) = (sort, upsert, variables)
    }

    func statement(_ filter: MongoDocument, _ update: BSON) throws -> FindAndModifyStatement {
        let context = FilterContext(variables: self.let)
        let update = try Update(parsing: update, arrayFilters: arrayFilters.map { .document($0) }, context: context)
        let action = FindAndModifyStatement.Action.update(
            update, isUpsert: upsert, returnsNew: returnDocument == .after)
        return try FindAndModifyStatement(filter, action, sort: sort, projection: projection, context: context)
    }
}

/// The options of `findOneAndDelete`.
public struct FindOneAndDeleteOptions: Sendable {
    /// The projection of the returned document; empty for the whole document.
    public var projection: MongoDocument
    /// The sort order that determines which matching document is the first one; empty for the natural order.
    public var sort: MongoDocument
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(projection: MongoDocument = [:], sort: MongoDocument = [:], `let` variables: MongoDocument = [:]) {
        (self.projection, self.sort, self.let) = (projection, sort, variables)
    }
}

/// The state of the changed document that `findOneAndUpdate` and `findOneAndReplace` return.
public enum ReturnDocument: Sendable, Hashable {
    /// The document before the change.
    case before
    /// The document after the change.
    case after
}
