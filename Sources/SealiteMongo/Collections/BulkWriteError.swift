public import SealiteBase
public import SealiteValues

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
