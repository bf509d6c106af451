public import FoundationEssentials
public import SealiteBase
internal import SealiteDatabase
public import SealiteValues

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

/// A parsed write of `bulkWrite`.
enum WriteStatement: Sendable {
    case insert(InsertStatement)
    case update(UpdateStatement)
    case delete(DeleteStatement)

    /// Runs the write and adds its counts and new `_id`s to `result`. `index` is the position of the write in
    /// `bulkWrite`'s array, from 0.
    func run(_ store: some DocumentStore, at index: Int, into result: inout BulkWriteResult) throws {
        switch self {
        case .insert(let statement):
            try statement.run(store)
            result.insertedIDs[index] = statement.id
        case .update(let statement):
            let outcome = try statement.run(store)
            result.matchedCount += outcome.matchedCount
            result.modifiedCount += outcome.modifiedCount
            if let id = outcome.upsertedID { result.upsertedIDs[index] = id }
        case .delete(let statement):
            result.deletedCount += try statement.run(store)
        }
    }
}

/// The options of `bulkWrite`.
public struct BulkWriteOptions: Sendable {
    /// A Boolean value that says whether the first error ends the call; otherwise the remaining writes are still made.
    /// The default is true.
    public var ordered: Bool
    /// A Boolean value that says whether the first error ends the call and nothing is stored. The default is false: the
    /// writes that succeeded stay.
    public var atomic: Bool
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(ordered: Bool = true, atomic: Bool = false, `let` variables: MongoDocument = [:]) {
        (self.ordered, self.atomic, self.let) = (ordered, atomic, variables)
    }
}

/// The result of `bulkWrite`.
public struct BulkWriteResult: Sendable, Hashable {
    /// The number of documents that were deleted.
    public internal(set) var deletedCount = 0
    /// The `_id`s of the documents that were inserted, without upserts, by the index of each document or write in the
    /// array that the call was passed, from 0.
    public internal(set) var insertedIDs: [Int: BSON] = [:]
    /// The number of documents to which updates and replacements were applied, including those that they left equal.
    public internal(set) var matchedCount = 0
    /// The number of documents that updates and replacements changed.
    public internal(set) var modifiedCount = 0
    /// The `_id`s of the documents that were inserted by upserts, by the index of each write in the array that the call
    /// was passed, from 0.
    public internal(set) var upsertedIDs: [Int: BSON] = [:]

    /// The number of documents that were inserted, without upserts.
    public var insertedCount: Int { insertedIDs.count }
    /// The number of documents that were inserted by upserts.
    public var upsertedCount: Int { upsertedIDs.count }
}

/// The error of `insertMany` and `bulkWrite` if writes failed.
public struct BulkWriteError: SealiteError, Sendable {
    /// A write that failed.
    public struct Failure: Sendable, Hashable {
        /// The index of the write in the array that the call was passed, from 0.
        public let index: Int
        /// The reason for which the write failed.
        public let error: MongoError
    }

    /// The writes that failed, in their order; one if the call was ordered or `atomic`.
    public let writeErrors: [Failure]
    /// The result of the writes that succeeded; empty after an `atomic` call, which stores none of its writes.
    public let result: BulkWriteResult

    /// The `_id`s of the documents that were inserted, by the index of each document or write in the array that the
    /// call was passed, from 0.
    public var insertedIDs: [Int: BSON] { result.insertedIDs }

    /// The identifier of this kind of error, always `bulk-write`.
    public var identifier: String { "bulk-write" }
    /// The reasons of the writes that failed.
    public var reason: String { description }
    /// The error of the first write that failed.
    public var underlying: (any Error)? { writeErrors.first?.error }
    /// The reasons of the writes that failed.
    public var description: String {
        writeErrors.map { "write \($0.index): \($0.error)" }.joined(separator: "; ")
    }
}

extension BulkWriteError: LocalizedError {
    /// The reasons of the writes that failed.
    public var errorDescription: String? { description }
}

/// The options of `insertMany`.
public struct InsertManyOptions: Sendable {
    /// A Boolean value that says whether the first error ends the call; otherwise the remaining documents are still
    /// written. The default is true.
    public var ordered: Bool
    /// A Boolean value that says whether the first error ends the call and nothing is stored. The default is false: the
    /// documents that could be inserted stay.
    public var atomic: Bool

    /// Creates options.
    public init(ordered: Bool = true, atomic: Bool = false) { (self.ordered, self.atomic) = (ordered, atomic) }
}

/// The result of `insertMany`.
public struct InsertManyResult: Sendable, Hashable {
    /// The number of documents that were inserted.
    public var insertedCount: Int { insertedIDs.count }
    /// The `_id`s of the inserted documents, by the index of each document in the array that the call was passed, from
    /// 0.
    public let insertedIDs: [Int: BSON]
}
