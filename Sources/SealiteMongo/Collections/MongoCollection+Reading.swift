internal import SealiteDatabase
public import SealiteValues

// Reading.
extension MongoCollection {
    /// Returns the documents that fulfil a filter, read as they are asked for, out of the state in which the database is when the first one is.
    ///
    /// A filter that isn't one throws when the first document is asked for.
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
        let end = FindStatement.Window(skip: skip, limit: options.limit.map { max($0, 0) }).end
        return try await read { source in max(try source.count(parsed, limit: end) - skip, 0) }
    }

    /// Returns the number of documents, which the database knows without reading them; it is exact here.
    public func estimatedDocumentCount() async throws -> Int {
        try await read { source in Int(clamping: try source.collection.count) }
    }

    /// Returns the values at a path in the documents that fulfil a filter, each once; an array gives its items.
    public func distinct(
        _ fieldName: String, _ filter: MongoDocument = [:], options: DistinctOptions = DistinctOptions()
    ) async throws -> [BSON] {
        let statement = try DistinctStatement(
            fieldName, filter: filter, context: FilterContext(variables: options.let))
        return try await read { source in try statement.run(source) }
    }
}
