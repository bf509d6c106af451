internal import SealiteDatabase
public import SealiteValues

/// The options of `aggregate`.
public struct AggregateOptions: Sendable {
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument
    /// The number of bytes that stages such as `$group` and `$sort` may hold in total, by estimate. A pipeline that
    /// needs more throws `MongoError` 146.
    public var memoryLimit: Int

    /// Creates options.
    public init(`let` variables: MongoDocument = [:], memoryLimit: Int = 256 * 1024 * 1024) {
        (self.let, self.memoryLimit) = (variables, memoryLimit)
    }
}
