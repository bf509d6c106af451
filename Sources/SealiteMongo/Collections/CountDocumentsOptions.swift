public import SealiteValues

/// The options of `countDocuments`.
public struct CountDocumentsOptions: Sendable {
    /// The greatest count that is returned, at which counting ends; nil for no limit. With 0 or less the count is 0.
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
