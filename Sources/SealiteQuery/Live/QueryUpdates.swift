/// The results and errors of a query as documents change: the first result immediately, then each result or error that
/// differs from the previous one.
///
/// The sequence never throws. After an error it continues with the next change, and the same error isn't delivered
/// twice in a row; if the observation can't begin, for example because the database is closed, the error is the only
/// element. Cancelling the task, releasing the iterator or closing the database ends the sequence. Each iterator
/// observes independently, from its first `next()` on.
///
/// Only the newest result is buffered. Memory holds it once for all observers of equal queries, until all of them have
/// received it.
public struct QueryUpdates: AsyncSequence, Sendable {
    /// A new result of the query, or the error that prevented one.
    public typealias Element = QueryChange
    /// The sequence never throws.
    public typealias Failure = Never

    let query: Query

    /// Returns an iterator with an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(observer: LiveObserver(query)) }

    /// The iterator over the results and errors of the query, one at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let observer: LiveObserver

        /// Returns the next result or error; nil if the observation has ended.
        public mutating func next() async -> QueryChange? {
            switch await observer.next() {
            case .rows(let rows)?: QueryChange(query: observer.query, results: rows.makeResultSet(), error: nil)
            case .failure(let error)?: QueryChange(query: observer.query, results: nil, error: error)
            case nil: nil
            }
        }
    }
}
