/// The results of a query as documents change: the first result immediately, even if it is empty, then each result that
/// differs from the previous one.
///
/// The first error ends the sequence. Cancelling the task, releasing the iterator or closing the database ends it
/// without an error. Each iterator observes independently, from its first `next()` on. See ``QueryUpdates`` for the
/// buffering.
public struct QueryResults: AsyncSequence, Sendable {
    /// A complete result of the query.
    public typealias Element = ResultSet

    let query: Query

    /// Returns an iterator with an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(observer: LiveObserver(query)) }

    /// The iterator over the results of the query, one at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let observer: LiveObserver

        /// Returns the next result; nil if the observation has ended.
        ///
        /// - Throws: the errors of executing the query.
        public mutating func next() async throws -> ResultSet? { try await observer.nextRows()?.makeResultSet() }
    }
}
