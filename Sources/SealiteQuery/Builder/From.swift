/// A query with a data source.
@safe
// Sendable: it has no property of its own.
public final class From: FilterableQuery, @unchecked Sendable {
    /// Adds joins.
    public func join(_ joins: any JoinProtocol...) -> Joins { join(joins) }
    /// Adds joins.
    public func join(_ joins: [any JoinProtocol]) -> Joins {
        Joins(with { $0.joins += joins.compactMap { $0 as? BuiltJoin } })
    }
}
