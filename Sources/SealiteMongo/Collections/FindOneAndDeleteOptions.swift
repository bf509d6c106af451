public import SealiteValues

/// The options of `findOneAndDelete`.
public struct FindOneAndDeleteOptions: Sendable {
    /// The projection of the returned document; empty for the whole document.
    public var projection: MongoDocument
    /// The sort order that determines which matching document is the first one; empty for the natural order.
    public var sort: MongoDocument
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(projection: MongoDocument = [:], sort: MongoDocument = [:], `let` variables: MongoDocument = [:]) {
        (self.projection, self.sort, self.let) = (projection, sort, variables)
    }
}
