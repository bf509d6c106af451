public import SealiteValues

/// The result of `insertMany`.
public struct InsertManyResult: Sendable, Hashable {
    /// The number of documents that were inserted.
    public var insertedCount: Int { insertedIDs.count }
    /// The `_id`s of the inserted documents, by the index of each document in the array that the call was passed, from
    /// 0.
    public let insertedIDs: [Int: BSON]
}
