/// A query of the query builder that has a data source, to which joins can be added.
@safe
// Sendable: it has no property of its own.
public final class From: FilterableQuery, @unchecked Sendable {
    /// Returns the query with joins of its data source with other sources.
    public func join(_ joins: any JoinProtocol...) -> Joins { join(joins) }
    /// Returns the query with joins of its data source with other sources.
    public func join(_ joins: [any JoinProtocol]) -> Joins {
        Joins(with { $0.joins += joins.map { $0 as? BuiltJoin ?? BuiltJoin(kind: nil, source: nil) } })
    }
}
