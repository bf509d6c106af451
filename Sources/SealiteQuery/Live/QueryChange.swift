/// A notification for an observer of a query: a new result, or the error that prevented one.
public struct QueryChange: Sendable {
    /// The observed query.
    public let query: Query
    /// The complete new result, for this observer only; nil if there is an error.
    public let results: ResultSet?
    /// The error that prevented a result; nil if there is a result.
    public let error: (any Error)?
}
