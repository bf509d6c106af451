public import SealiteValues

/// The options of `findOne`.
public struct FindOneOptions: Sendable {
    /// The projection of the document; empty for the whole document.
    public var projection: MongoDocument
    /// The order by which the first document is chosen.
    public var sort: MongoDocument
    /// The number of documents to skip.
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
