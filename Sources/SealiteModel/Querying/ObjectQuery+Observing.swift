internal import SealiteDatabase
public import SealiteQuery

// Observing the objects of a query (Documentation/LiveQueries.md).
extension ObjectQuery {
    /// All objects of the query now, and again after each change of them: `for try await people in query.values`.
    public var values: ObservedObjects<[M]> { observed { $0 } }

    /// The first object of the query now, and again after each change of it; nil while there is none.
    public var firstValues: ObservedObjects<M?> { one().observed { $0.first } }

    /// The number of objects of the query now, and again after each change of the number.
    public var counts: ObservedObjects<Int> {
        ObservedObjects {
            let (query, read) = try counting()
            return (try Self.existing(query), read)
        } isRepeated: {
            $0 == $1
        }
    }

    /// The objects of the query now, and then the difference after each change.
    public var changes: ObjectChanges<M> {
        ObjectChanges {
            let (coder, database) = try coder()
            return QueryDeltas(query: try Self.existing(whole()), keyColumn: Self.keyColumn) {
                try coder.object($0, in: database)
            }
        }
    }

    /// Returns an observable object with the query's objects, which are updated until it is released.
    ///
    /// - Throws: `SchemaError` for a key path without a member, `invalidQuery` for a condition that can't be parsed,
    ///   `invalidParameter` if two conditions give a parameter different values, and `notFound` if a read-only store
    ///   has no collection of the objects. Errors of running the query are reported by the returned object.
    @MainActor
    public func liveResults() throws -> LiveResults<M> {
        let (coder, database) = try coder()
        return LiveResults(try Self.existing(whole())) { results in
            try Self.objects(of: results, coder, database)
        }
    }

    /// Returns the results of a closure that is called with all objects of the query now, and again after each change.
    func observed<Output: Sendable>(_ make: @escaping @Sendable ([M]) -> Output) -> ObservedObjects<Output> {
        ObservedObjects {
            let (coder, database) = try coder()
            return (try Self.existing(whole()), { make(try Self.objects(of: $0, coder, database)) })
        }
    }

    private static func objects(
        of results: ResultSet, _ coder: ModelCoder<M>, _ database: Database
    ) throws -> [M] {
        var objects: [M] = []
        while let row = try results.nextResult() { objects.append(try coder.object(row, in: database)) }
        return objects
    }

    /// The name of the column with the documents' IDs.
    private static var keyColumn: String { "id" }

    private static func existing(_ query: Query?) throws -> Query {
        guard let query else {
            throw DatabaseError(
                .notFound,
                "the collection of the objects of \(M.schemaName) doesn't exist, and a read-only store doesn't create it"
            )
        }
        return query
    }
}
