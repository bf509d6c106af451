/// The changes of a query's result, row by row: the first element has all rows inserted, each other one is what differs from the result before.
///
/// Between two elements memory keeps the keys of the rows and hashes of them, no rows. The first error ends the sequence: one of the query, a row that can't be decoded or
/// has no key, or two rows with one key. See ``QueryResults`` for when elements come.
public struct QueryDeltas<Row: Sendable>: AsyncSequence, Sendable {
    /// What differs.
    public typealias Element = QueryDelta<Row>

    let query: Query
    let keyColumn: String
    let read: @Sendable (Result) throws -> Row

    /// The changes of a query whose rows a closure reads.
    package init(query: Query, keyColumn: String, _ read: @escaping @Sendable (Result) throws -> Row) {
        (self.query, self.keyColumn, self.read) = (query, keyColumn, read)
    }

    /// Makes an observer of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observer: LiveObserver(query), differ: DeltaMaker(keyColumn: keyColumn), read: read)
    }

    /// Delivers one delta after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let observer: LiveObserver
        var differ: DeltaMaker
        let read: @Sendable (Result) throws -> Row

        /// Returns the next delta; nil when the observation ended.
        ///
        /// - Throws: what executing the query throws, `decodingFailed`, and `invalidParameter`, which names the column, where a row has no key or two have the same.
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
