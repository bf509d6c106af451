internal import SealiteDatabase
public import SealiteQuery

// Observing the objects of a query (Documentation/LiveQueries.md).
extension ObjectQuery {
    /// All objects, from now on: `for try await people in query.values`.
    public var values: ObservedObjects<[M]> { observed { $0 } }

    /// The first object, from now on; nil while there is none.
    public var firstValues: ObservedObjects<M?> { one().observed { $0.first } }

    /// The number of objects, from now on.
    public var counts: ObservedObjects<Int> {
        ObservedObjects {
            let (query, read) = try counting()
            return (try Self.existing(query), read)
        } isRepeated: {
            $0 == $1
        }
    }

    /// The changes of the objects, from now on.
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
    /// - Throws: `SchemaError` for a key path without a member. Other errors are reported by the returned object.
    @MainActor
    public func liveResults() throws -> LiveResults<M> {
        let (coder, database) = try coder()
        return LiveResults(try Self.existing(whole())) { results in
            try Self.objects(of: results, coder, database)
        }
    }

    /// Returns the results of a closure for all objects, from now on.
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

    /// The column of the documents' IDs.
    private static var keyColumn: String { "id" }

    private static func existing(_ query: Query?) throws -> Query {
        guard let query else { throw DatabaseError(.notFound, "the objects of \(M.schemaName) have no collection") }
        return query
    }
}
