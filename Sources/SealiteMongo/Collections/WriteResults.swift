public import SealiteValues

/// The result of `insertOne`.
public struct InsertOneResult: Sendable, Hashable {
    /// The `_id` of the document.
    public let insertedID: BSON
}

/// The result of `insertMany`.
public struct InsertManyResult: Sendable, Hashable {
    /// The number of documents that were inserted.
    public var insertedCount: Int { insertedIDs.count }
    /// The `_id`s of the inserted documents, by their indices in the argument.
    public let insertedIDs: [Int: BSON]
}

/// The result of `updateOne`, `updateMany` and `replaceOne`.
public struct UpdateResult: Sendable, Hashable {
    /// The number of documents that fulfilled the filter.
    public let matchedCount: Int
    /// The number of documents that were changed, without those that the update left equal.
    public let modifiedCount: Int
    /// The `_id` of the document that was inserted; nil if none was.
    public let upsertedID: BSON?
    /// 1 if a document was inserted, else 0.
    public var upsertedCount: Int { upsertedID == nil ? 0 : 1 }

    init(_ outcome: UpdateStatement.Outcome) {
        (matchedCount, modifiedCount) = (outcome.matchedCount, outcome.modifiedCount)
        upsertedID = outcome.upsertedID
    }
}

/// The result of `deleteOne` and `deleteMany`.
public struct DeleteResult: Sendable, Hashable {
    /// The number of documents that were deleted.
    public let deletedCount: Int
}

/// The result of `bulkWrite`.
public struct BulkWriteResult: Sendable, Hashable {
    /// The number of documents that were deleted.
    public internal(set) var deletedCount = 0
    /// The `_id`s of the documents that were inserted, by the indices of their models.
    public internal(set) var insertedIDs: [Int: BSON] = [:]
    /// The number of documents that fulfilled the filters of updates and replacements.
    public internal(set) var matchedCount = 0
    /// The number of documents that were changed.
    public internal(set) var modifiedCount = 0
    /// The `_id`s of the documents that were inserted by upserts, by the indices of their models.
    public internal(set) var upsertedIDs: [Int: BSON] = [:]

    /// The number of documents that were inserted.
    public var insertedCount: Int { insertedIDs.count }
    /// The number of documents that were inserted by upserts.
    public var upsertedCount: Int { upsertedIDs.count }
}

/// The error of `insertMany` and `bulkWrite` if writes failed.
public struct BulkWriteError: Error, Sendable, CustomStringConvertible {
    /// A write that failed.
    public struct Failure: Sendable, Hashable {
        /// The write's index in the argument.
        public let index: Int
        /// The reason.
        public let error: MongoError
    }

    /// The writes that failed, in their order; at most one if the call was ordered.
    public let writeErrors: [Failure]
    /// The result of the other writes; after an `atomic` call none of it is stored.
    public let result: BulkWriteResult

    /// The `_id`s of the documents that were inserted, by the indices of their models.
    public var insertedIDs: [Int: BSON] { result.insertedIDs }

    /// The reasons of the writes that failed.
    public var description: String {
        writeErrors.map { "write \($0.index): \($0.error)" }.joined(separator: "; ")
    }
}
