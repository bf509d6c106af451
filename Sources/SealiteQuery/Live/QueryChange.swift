/// What an observer of a query is told: a new result, or the error for which there is none.
public struct QueryChange: Sendable {
    /// The query that is observed.
    public let query: Query
    /// The whole new result, of which no other observer has read; nil where there is an error.
    public let results: ResultSet?
    /// The reason why there is no result; nil where there is one.
    public let error: (any Error)?
}
