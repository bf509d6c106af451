/// The results of a query, as documents change: the first one at once, also an empty one, then each that differs from the one before.
///
/// The first error ends the sequence. Cancelling the task, releasing the iterator or closing the database ends it without one. Each iterator observes for itself, from
/// its first `next()` on; of what is buffered ``QueryUpdates`` says more.
public struct QueryResults: AsyncSequence, Sendable {
    /// A whole result.
    public typealias Element = ResultSet

    let query: Query

    /// Makes an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(observer: LiveObserver(query)) }

    /// Delivers one result after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let observer: LiveObserver

        /// Returns the next result; nil when the observation ended.
        ///
        /// - Throws: what executing the query throws.
        public mutating func next() async throws -> ResultSet? { try await observer.nextRows()?.makeResultSet() }
    }
}
