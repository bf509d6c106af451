public import SealiteValues

/// The options of `find`.
public struct FindOptions: Sendable {
    /// The projection of the documents; empty for whole documents.
    public var projection: MongoDocument
    /// The order: paths with 1 or -1; empty for the order in which the documents were first inserted.
    public var sort: MongoDocument
    /// The number of documents to skip.
    public var skip: Int
    /// The maximum number of documents; nil or 0 for no limit.
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
        // A negative limit means the same number of documents.
        let limit = limit.flatMap { $0 == 0 ? nil : Int(clamping: $0.magnitude) }
        return try FindStatement(
            filter: filter, sort: sort, skip: skip, limit: limit, projection: projection,
            context: FilterContext(variables: self.let))
    }
}

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

/// The options of `countDocuments`.
public struct CountDocumentsOptions: Sendable {
    /// The number at which counting ends; nil for no limit.
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

/// The options of `distinct`.
public struct DistinctOptions: Sendable {
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(`let` variables: MongoDocument = [:]) { self.let = variables }
}
