public import SealiteValues

/// The options of `find`.
public struct FindOptions: Sendable {
    /// The members of the documents to give; empty for all.
    public var projection: MongoDocument
    /// The order: paths with 1 or -1; empty for the order in which the documents were first inserted.
    public var sort: MongoDocument
    /// The number of documents to leave out at the start.
    public var skip: Int
    /// The number of documents to give at most; nil or 0 for all.
    public var limit: Int?
    /// The variables that expressions see as `$$name`.
    public var `let`: MongoDocument

    /// Options.
    public init(
        limit: Int? = nil, projection: MongoDocument = [:], skip: Int = 0, sort: MongoDocument = [:],
        `let` variables: MongoDocument = [:]
    ) {
        (self.limit, self.projection, self.skip, self.sort, self.let) = (limit, projection, skip, sort, variables)
    }

    func statement(_ filter: MongoDocument) throws -> FindStatement {
        // Below 0 it is the number of documents, too.
        let limit = limit.flatMap { $0 == 0 ? nil : Int(clamping: $0.magnitude) }
        return try FindStatement(
            filter: filter, sort: sort, skip: skip, limit: limit, projection: projection,
            context: FilterContext(variables: self.let))
    }
}

/// The options of `findOne`.
public struct FindOneOptions: Sendable {
    /// The members of the document to give; empty for all.
    public var projection: MongoDocument
    /// The order in which the document is the first one.
    public var sort: MongoDocument
    /// The number of documents to leave out at the start.
    public var skip: Int
    /// The variables that expressions see as `$$name`.
    public var `let`: MongoDocument

    /// Options.
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
    /// The number at which counting ends; nil for none.
    public var limit: Int?
    /// The number of documents that aren't counted.
    public var skip: Int
    /// The variables that expressions see as `$$name`.
    public var `let`: MongoDocument

    /// Options.
    public init(limit: Int? = nil, skip: Int = 0, `let` variables: MongoDocument = [:]) {
        (self.limit, self.skip, self.let) = (limit, skip, variables)
    }
}

/// The options of `distinct`.
public struct DistinctOptions: Sendable {
    /// The variables that expressions see as `$$name`.
    public var `let`: MongoDocument

    /// Options.
    public init(`let` variables: MongoDocument = [:]) { self.let = variables }
}
