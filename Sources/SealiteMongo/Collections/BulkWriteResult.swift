public import SealiteValues

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
