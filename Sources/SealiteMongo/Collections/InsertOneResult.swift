public import SealiteValues

/// The result of `insertOne`.
public struct InsertOneResult: Sendable, Hashable {
    /// The `_id` of the inserted document.
    public let insertedID: BSON
}
