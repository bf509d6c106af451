internal import SealiteValues

/// The result of `deleteOne` and `deleteMany`.
public struct DeleteResult: Sendable, Hashable {
    /// The number of documents that were deleted.
    public let deletedCount: Int
}
