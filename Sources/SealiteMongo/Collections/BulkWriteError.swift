public import SealiteValues

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
