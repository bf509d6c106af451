public import Dispatch
public import SealiteDatabase

// Observing a query (Documentation/LiveQueries.md).
extension Query {
    /// The result of the query now, and again after each change: `for try await results in query.results`.
    public var results: QueryResults { QueryResults(query: self) }

    /// The result of the query now, and again after each change. Errors are elements, and don't end the sequence.
    public var updates: QueryUpdates { QueryUpdates(query: self) }

    /// Returns the result of the query now, and again after each change, as arrays of a `Decodable` type.
    ///
    /// - Parameters:
    ///   - type: the type of a row; see ``Result/data(as:dataKey:)``.
    ///   - dataKey: the column with the object whose members are the properties of a row; nil if the columns are the
    ///     properties.
    /// - Returns: the sequence of results, each an array of the decoded rows.
    public func values<Row: Decodable & Sendable>(
        as type: Row.Type = Row.self, dataKey: String? = nil
    ) -> QueryValues<Row> {
        QueryValues(query: self, dataKey: dataKey)
    }

    /// Returns the result of the query now, and then the difference from the previous result after each change.
    ///
    /// - Parameters:
    ///   - column: the column whose value identifies a row or, for SELECT VALUE, the member of the value. Its values
    ///     must be unique.
    ///   - type: the type of a row; see ``Result/data(as:dataKey:)``.
    ///   - dataKey: the column with the object whose members are the properties of a row; nil if the columns are the
    ///     properties.
    /// - Returns: the sequence of differences; the first one inserts all rows.
    public func changes<Row: Decodable & Sendable>(
        keyedBy column: String, as type: Row.Type = Row.self, dataKey: String? = nil
    ) -> QueryDeltas<Row> {
        QueryDeltas(query: self, keyColumn: column) { try $0.data(as: Row.self, dataKey: dataKey) }
    }

    /// Returns the result of the query now, and then the difference from the previous result after each change. The
    /// column `id` identifies a row, and its values must be unique.
    public func changes<Row: Decodable & Sendable & Identifiable>(as type: Row.Type = Row.self) -> QueryDeltas<Row> {
        changes(keyedBy: "id")
    }

    /// Calls a listener with the elements that ``updates`` delivers, until the token is removed or released. Each
    /// listener first receives the current result.
    ///
    /// - Parameters:
    ///   - queue: the queue on which the listener is called, one call at a time; nil for a separate serial queue.
    ///   - listener: called with each new result or error.
    /// - Returns: the token that keeps the listener and the query alive.
    public func addChangeListener(
        queue: DispatchQueue? = nil, _ listener: @escaping @Sendable (QueryChange) -> Void
    ) -> ListenerToken {
        ListenerToken(updates, queue, listener)
    }

    /// Calls a listener as ``addChangeListener(queue:_:)`` does, with Couchbase Lite's name for the parameter.
    public func addChangeListener(
        withQueue queue: DispatchQueue?, _ listener: @escaping @Sendable (QueryChange) -> Void
    ) -> ListenerToken {
        addChangeListener(queue: queue, listener)
    }

    /// Ends the calls of the listener that a token stands for. This is Couchbase Lite's name for
    /// `ListenerToken.remove()`.
    public func removeChangeListener(withToken token: ListenerToken) { token.remove() }
}

/// A notification for an observer of a query: a new result, or the error that prevented one.
public struct QueryChange: Sendable {
    /// The observed query.
    public let query: Query
    /// The complete new result, for this observer only; nil if there is an error.
    public let results: ResultSet?
    /// The error that prevented a result; nil if there is a result.
    public let error: (any Error)?
}

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
        public mutating func next() async throws -> ResultSet? { try await observer.next { $0.makeResultSet() } }
    }
}

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
            case .success(let rows)?: QueryChange(query: observer.query, results: rows.makeResultSet(), error: nil)
            case .failure(let error)?: QueryChange(query: observer.query, results: nil, error: error)
            case nil: nil
            }
        }
    }
}

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
            try await observer.next { try $0.results.map { try $0.data(as: Row.self, dataKey: dataKey) } }
        }
    }
}
