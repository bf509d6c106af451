public import SealiteValues

/// The result of `updateOne`, `updateMany` and `replaceOne`.
public struct UpdateResult: Sendable, Hashable {
    /// The number of documents to which the update was applied, including those that it left equal; 0 if a document was
    /// inserted instead.
    public let matchedCount: Int
    /// The number of documents that were changed, without those that the update left equal.
    public let modifiedCount: Int
    /// The `_id` of the document that was inserted; nil if none was.
    public let upsertedID: BSON?
    /// 1 if a document was inserted, otherwise 0.
    public var upsertedCount: Int { upsertedID == nil ? 0 : 1 }

    init(_ outcome: UpdateStatement.Outcome) {
        (matchedCount, modifiedCount) = (outcome.matchedCount, outcome.modifiedCount)
        upsertedID = outcome.upsertedID
    }
}
