internal import SealiteDatabase
internal import SealiteValues

// Several writes in one call: one transaction, in which a failed write doesn't roll back the others.
extension MongoCollection {
    /// Inserts documents; those without an `_id` get ObjectIDs.
    ///
    /// - Throws: `BulkWriteError` if a document can't be inserted, also if its `_id` has a type that isn't allowed. The
    ///   documents before it stay stored, as do, with `ordered: false`, the documents after it; an `atomic` call stores
    ///   none. The error of the encoder if a value can't be encoded; nothing is stored then.
    @discardableResult
    public func insertMany(
        _ values: [T], options: InsertManyOptions = InsertManyOptions()
    ) async throws -> InsertManyResult {
        let statements = try values.map { value in
            try checked { .insert(try InsertStatement(coding.encode(value))) }
        }
        let result = try await run(statements, ordered: options.ordered, atomic: options.atomic)
        return InsertManyResult(insertedIDs: result.insertedIDs)
    }

    /// Runs several writes in one transaction, in the order given.
    ///
    /// - Throws: `BulkWriteError` if a write fails. The writes before it stay stored, as do, with `ordered: false`, the
    ///   writes after it; an `atomic` call stores none. The error of the encoder if a value can't be encoded; nothing
    ///   is stored then.
    @discardableResult
    public func bulkWrite(
        _ models: [WriteModel<T>], options: BulkWriteOptions = BulkWriteOptions()
    ) async throws -> BulkWriteResult {
        let statements = try models.map { model in try checked { try statement(of: model, options.let) } }
        return try await run(statements, ordered: options.ordered, atomic: options.atomic)
    }

    /// Returns the statement that `make` makes, or the `MongoError` that it throws, which is the error of this write
    /// alone; rethrows other errors.
    private func checked(_ make: () throws -> WriteStatement) throws -> Result<WriteStatement, MongoError> {
        do {
            return .success(try make())
        } catch let error as MongoError {
            return .failure(error)
        }
    }

    private func statement(of model: WriteModel<T>, _ variables: MongoDocument) throws -> WriteStatement {
        switch model {
        case .insertOne(let value): return .insert(try InsertStatement(coding.encode(value)))
        case .updateOne(let filter, let update, let options):
            return .update(try options.adding(variables).statement(filter, Self.operators(update), isMany: false))
        case .updateMany(let filter, let update, let options):
            return .update(try options.adding(variables).statement(filter, Self.operators(update), isMany: true))
        case .updateOneByPipeline(let filter, let stages, let options):
            return .update(try options.adding(variables).statement(filter, Self.stages(stages), isMany: false))
        case .updateManyByPipeline(let filter, let stages, let options):
            return .update(try options.adding(variables).statement(filter, Self.stages(stages), isMany: true))
        case .replaceOne(let filter, let replacement, let options):
            let update = try replacementDocument(replacement)
            return .update(try options.adding(variables).statement(filter, update, isMany: false))
        case .deleteOne(let filter):
            return .delete(try DeleteStatement(filter, isMany: false, context: FilterContext(variables: variables)))
        case .deleteMany(let filter):
            return .delete(try DeleteStatement(filter, isMany: true, context: FilterContext(variables: variables)))
        }
    }

    private func run(
        _ statements: [Result<WriteStatement, MongoError>], ordered: Bool, atomic: Bool
    ) async throws -> BulkWriteResult {
        let (result, errors) = try await write { store in
            var result = BulkWriteResult()
            var errors: [BulkWriteError.Failure] = []
            let counter = WriteControl.counting(statements.count)
            for (index, statement) in statements.enumerated() {
                defer { counter?.count() }
                do {
                    let statement = try statement.get()
                    try store.nested { try statement.run(store, at: index, into: &result) }
                } catch let error as MongoError {
                    errors.append(BulkWriteError.Failure(index: index, error: error))
                    if atomic { throw BulkWriteError(writeErrors: errors, result: BulkWriteResult()) }
                    if ordered { break }
                }
            }
            return (result, errors)
        }
        guard errors.isEmpty else { throw BulkWriteError(writeErrors: errors, result: result) }
        return result
    }
}

extension UpdateOptions {
    /// Returns the options with the variables of the whole call, if they have none of their own.
    fileprivate func adding(_ variables: MongoDocument) -> UpdateOptions {
        var options = self
        if options.let.isEmpty { options.let = variables }
        return options
    }
}
