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
        if let documents = try ShortFind.documents(statement, of: collection) {
            return try documents.first.map(coding.decode)
        }
        let document: MongoDocument? = try await read { source in
            var found: MongoDocument?
            try statement.run(source) { document in
                found = document
                return false
            }
            return found
        }
        return try document.map(coding.decode)
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
        let statement = try DistinctStatement(
            fieldName, filter: filter, context: FilterContext(variables: options.let))
        return try await read { source in try statement.run(source) }
    }
}
