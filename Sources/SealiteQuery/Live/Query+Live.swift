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
