/// The results of a query as values of a `Decodable` type as documents change; see ``QueryResults`` for the times of
/// delivery.
public struct QueryValues<Row: Decodable & Sendable>: AsyncSequence, Sendable {
    /// The decoded rows of a complete result.
    public typealias Element = [Row]

    let query: Query
    let dataKey: String?

    /// Returns an iterator with an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(observer: LiveObserver(query), dataKey: dataKey) }

    /// The iterator over the decoded results of the query, one at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let observer: LiveObserver
        let dataKey: String?

        /// Returns the rows of the next result; nil if the observation has ended.
        ///
        /// - Throws: the errors of executing the query, and `decodingFailed`.
        public mutating func next() async throws -> [Row]? {
            guard let rows = try await observer.nextRows() else { return nil }
            do {
                return try rows.results.map { try $0.data(as: Row.self, dataKey: dataKey) }
            } catch {
                observer.end()
                throw error
            }
        }
    }
}
