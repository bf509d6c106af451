public import SealiteValues

/// The options of `find`.
public struct FindOptions: Sendable {
    /// The projection of the documents; empty for whole documents.
    public var projection: MongoDocument
    /// The order: paths with 1 or -1; empty for natural order, the order in which the documents were first inserted.
    /// `$natural` with -1 reverses it.
    public var sort: MongoDocument
    /// The number of documents to skip before the first one that is returned.
    public var skip: Int
    /// The maximum number of documents; nil or 0 for no limit. A negative number counts as its absolute value.
    public var limit: Int?
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(
        limit: Int? = nil, projection: MongoDocument = [:], skip: Int = 0, sort: MongoDocument = [:],
        `let` variables: MongoDocument = [:]
    ) {
        (self.limit, self.projection, self.skip, self.sort, self.let) = (limit, projection, skip, sort, variables)
    }

    func statement(_ filter: MongoDocument) throws -> FindStatement {
        // A negative limit counts as its absolute value.
        let limit = limit.flatMap { $0 == 0 ? nil : Int(clamping: $0.magnitude) }
        return try FindStatement(
            filter: filter, sort: sort, skip: skip, limit: limit, projection: projection,
            context: FilterContext(variables: self.let))
    }
}
