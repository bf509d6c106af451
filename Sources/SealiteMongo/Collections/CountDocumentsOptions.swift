public import SealiteValues

/// The options of `countDocuments`.
public struct CountDocumentsOptions: Sendable {
    /// The greatest count that is returned, at which counting ends; nil or 0 for no limit. A negative number counts
    /// as its absolute value.
    public var limit: Int?
    /// The number of documents to skip before counting.
    public var skip: Int
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(limit: Int? = nil, skip: Int = 0, `let` variables: MongoDocument = [:]) {
        (self.limit, self.skip, self.let) = (limit, skip, variables)
    }
}
