/// The results of a query and its errors, as documents change: the first one at once, then each that differs from the one before.
///
/// The sequence never throws. After an error it goes on with the next change, and the same error isn't told twice in a row. Cancelling the task, releasing the
/// iterator or closing the database ends it. Each iterator observes for itself, from its first `next()` on.
///
/// Buffering: the newest result only. Memory holds it once for all observers of equal queries, until they have taken it.
public struct QueryUpdates: AsyncSequence, Sendable {
    /// What changed.
    public typealias Element = QueryChange
    /// Nothing is thrown.
    public typealias Failure = Never

    let query: Query

    /// Makes an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(observer: LiveObserver(query)) }

    /// Delivers one result after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let observer: LiveObserver

        /// Returns the next result or error; nil when the observation ended.
        public mutating func next() async -> QueryChange? {
            switch await observer.next() {
            case .rows(let rows)?: QueryChange(query: observer.query, results: rows.makeResultSet(), error: nil)
            case .failure(let error)?: QueryChange(query: observer.query, results: nil, error: error)
            case nil: nil
            }
        }
    }
}
