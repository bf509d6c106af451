internal import SealiteDatabase
public import SealiteValues

// Reading.
extension MongoCollection {
    /// Returns the documents that fulfil a filter, read on demand from a snapshot of the database that is taken when
    /// the first document is asked for.
    ///
    /// An invalid filter throws an error when the first document is asked for.
    public func find(_ filter: MongoDocument = [:], options: FindOptions = FindOptions()) -> FindSequence<T> {
        FindSequence(collection, coding, filter, options)
    }

    /// Returns the first document that fulfils a filter; nil if there is none.
    public func findOne(_ filter: MongoDocument = [:], options: FindOneOptions = FindOneOptions()) async throws -> T? {
        let statement = try options.statement(filter)
        if let rows = try ShortFind.rows(statement, of: collection) {
            return try rows.first.map { try coding.decode($0) }
        }
        let document: MongoDocument? = try await read { source in
            var found: MongoDocument?
            try statement.run(source) { document in
                found = document
                return false
            }
            return found
        }
        return try document.map { try coding.decode($0) }
    }

    /// Counts the documents that fulfil a filter.
    public func countDocuments(
        _ filter: MongoDocument = [:], options: CountDocumentsOptions = CountDocumentsOptions()
    ) async throws -> Int {
        let parsed = try Filter(parsing: filter, context: FilterContext(variables: options.let))
        let skip = max(options.skip, 0)
        let limit = options.limit.flatMap { $0 == 0 ? nil : Int(clamping: $0.magnitude) }
        let end = FindStatement.Window(skip: skip, limit: limit).end
        return try await read { source in max(try source.count(parsed, limit: end) - skip, 0) }
    }

    /// Returns the number of documents without reading them. The number is exact, unlike that of a MongoDB server.
    public func estimatedDocumentCount() async throws -> Int {
        try await read { source in Int(clamping: try source.collection.count) }
    }

    /// Returns the distinct values at a path in the documents that fulfil a filter, in the order in which they are
    /// first found; an array contributes its items.
    public func distinct(
        _ fieldName: String, _ filter: MongoDocument = [:], options: DistinctOptions = DistinctOptions()
    ) async throws -> [BSON] {
        let statement = try DistinctStatement(fieldName, filter: filter, context: FilterContext(variables: options.let))
        return try await read { source in try statement.run(source) }
    }
}

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

/// The options of `distinct`.
public struct DistinctOptions: Sendable {
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(`let` variables: MongoDocument = [:]) { self.let = variables }
}
