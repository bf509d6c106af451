/// A query of the query builder to which a WHERE condition can be added.
@safe
// Sendable: it has no property of its own.
public class FilterableQuery: GroupableQuery, @unchecked Sendable {
    /// Returns the query with the condition that rows must fulfil (WHERE).
    public func `where`(_ condition: any ExpressionProtocol) -> Where { Where(with { $0.condition = condition.tree }) }
}
