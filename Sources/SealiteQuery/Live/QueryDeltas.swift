/// The changes of a query's result, row by row. The first element inserts all rows; each later element is the
/// difference to the previous result.
///
/// Between two elements, memory holds the keys and the hashes of the rows, but no rows. The first error ends the
/// sequence: an error of the query, a row that can't be decoded or has no key, or two rows with the same key. See
/// ``QueryResults`` for the times of delivery.
public struct QueryDeltas<Row: Sendable>: AsyncSequence, Sendable {
    /// The difference between a result of the query and the next one.
    public typealias Element = QueryDelta<Row>

    let query: Query
    let keyColumn: String
    let read: @Sendable (Result) throws -> Row

    /// Creates the sequence of changes of a query's result, whose rows a closure decodes.
    package init(query: Query, keyColumn: String, _ read: @escaping @Sendable (Result) throws -> Row) {
        (self.query, self.keyColumn, self.read) = (query, keyColumn, read)
    }

    /// Returns an iterator with an observer of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observer: LiveObserver(query), differ: DeltaMaker(keyColumn: keyColumn), read: read)
    }

    /// The iterator over the differences between results, one for each new result.
    public struct Iterator: AsyncIteratorProtocol {
        let observer: LiveObserver
        var differ: DeltaMaker
        let read: @Sendable (Result) throws -> Row

        /// Returns the next delta; nil if the observation has ended.
        ///
        /// - Throws: the errors of executing the query, `decodingFailed`, and `invalidParameter`, which names the
        ///   column, if a row has no key or two rows have the same key.
        public mutating func next() async throws -> QueryDelta<Row>? {
            guard let rows = try await observer.nextRows() else { return nil }
            do {
                return try differ.delta(to: rows, read)
            } catch {
                observer.end()
                throw error
            }
        }
    }
}
