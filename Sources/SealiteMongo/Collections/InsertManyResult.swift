public import SealiteValues

/// The result of `insertMany`.
public struct InsertManyResult: Sendable, Hashable {
    /// The number of documents that were inserted.
    public var insertedCount: Int { insertedIDs.count }
    /// The `_id`s of the inserted documents, by their indices in the argument.
    public let insertedIDs: [Int: BSON]
}
