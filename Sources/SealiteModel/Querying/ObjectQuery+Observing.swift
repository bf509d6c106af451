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

/// The results of a query over objects, as documents change: the first result immediately, even if it is empty, then
/// each result that differs from the previous one.
///
/// The first error ends the sequence. Cancelling the task, releasing the iterator or closing the database ends it
/// without an error. Each iterator observes independently (Documentation/LiveQueries.md).
public struct ObservedObjects<Output: Sendable>: AsyncSequence, Sendable {
    /// A result of the query.
    public typealias Element = Output

    /// A query, with a closure that reads its results.
    typealias Source = (query: Query, read: @Sendable (ResultSet) throws -> Output)

    let source: @Sendable () throws -> Source
    /// A function that returns whether a new result equals the previous one, so that it isn't delivered.
    var isRepeated: @Sendable (_ old: Output, _ new: Output) -> Bool = { _, _ in false }

    /// Returns an iterator with an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Delivers the results, one at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: ObservedObjects
        private var source: Source?
        private var results: QueryResults.Iterator?
        private var last: Output?
        private var hasEnded = false

        init(sequence: ObservedObjects) { self.sequence = sequence }

        /// Returns the next result; nil if the observation has ended.
        ///
        /// - Throws: the errors of running the query, `decodingFailed`, `notFound` if a read-only store has no
        ///   collection of the objects, and `SchemaError` for a key path without a member.
        public mutating func next() async throws -> Output? {
            guard !hasEnded else { return nil }
            var isOver = true
            defer { if isOver { (hasEnded, results) = (true, nil) } }
            let next = try await following()
            isOver = next == nil
            return next
        }

        private mutating func following() async throws -> Output? {
            let source = try source ?? sequence.source()
            var results = results ?? source.query.results.makeAsyncIterator()
            self.source = source
            while let found = try await results.next() {
                self.results = results
                let output = try source.read(found)
                if let last, sequence.isRepeated(last, output) { continue }
                last = output
                return output
            }
            return nil
        }
    }
}

/// The changes of the objects of a query: the first element inserts all objects; each later element is the difference
/// from the previous result. Objects are identified by their IDs.
///
/// Between two elements, memory holds the IDs and hashes of the objects. The first error ends the sequence; see
/// ``ObservedObjects``.
public struct ObjectChanges<M: Model>: AsyncSequence, Sendable {
    /// The difference between two results. The keys of removed objects are the document IDs.
    public typealias Element = QueryDelta<M>

    let source: @Sendable () throws -> QueryDeltas<M>

    /// Returns an iterator with an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Delivers the deltas, one for each new result.
    public struct Iterator: AsyncIteratorProtocol {
        let source: @Sendable () throws -> QueryDeltas<M>
        private var deltas: QueryDeltas<M>.Iterator?
        private var hasEnded = false

        init(source: @escaping @Sendable () throws -> QueryDeltas<M>) { self.source = source }

        /// Returns the next delta; nil if the observation has ended.
        ///
        /// - Throws: the errors of running the query, `decodingFailed`, `notFound` if a read-only store has no
        ///   collection of the objects, and `SchemaError` for a key path without a member.
        public mutating func next() async throws -> QueryDelta<M>? {
            guard !hasEnded else { return nil }
            var isOver = true
            defer { hasEnded = isOver }
            var deltas = try self.deltas ?? source().makeAsyncIterator()
            let delta = try await deltas.next()
            self.deltas = deltas
            isOver = delta == nil
            return delta
        }
    }
}
