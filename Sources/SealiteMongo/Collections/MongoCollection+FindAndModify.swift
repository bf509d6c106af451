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
        return try outcome.value.map(coding.decode)
    }
}
