public import SealiteValues

/// The options of `findOne`.
public struct FindOneOptions: Sendable {
    /// The projection of the document; empty for the whole document.
    public var projection: MongoDocument
    /// The sort order that determines which matching document is the first one; empty for the natural order.
    public var sort: MongoDocument
    /// The number of matching documents to skip before the one that is returned.
    public var skip: Int
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(
        projection: MongoDocument = [:], skip: Int = 0, sort: MongoDocument = [:], `let` variables: MongoDocument = [:]
    ) {
        (self.projection, self.skip, self.sort, self.let) = (projection, skip, sort, variables)
    }

    func statement(_ filter: MongoDocument) throws -> FindStatement {
        try FindOptions(limit: 1, projection: projection, skip: skip, sort: sort, let: self.let).statement(filter)
    }
}
