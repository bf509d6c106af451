/// A query of the query builder to which a maximum number of rows can be added.
@safe
// Sendable: it has no property of its own.
public class LimitableQuery: BuilderQuery, @unchecked Sendable {
    /// Returns the query with the maximum number of rows, and the number of rows to skip before the first one that is
    /// returned.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)? = nil) -> Limit {
        Limit(with { ($0.limit, $0.offset) = (limit.tree, offset?.tree) })
    }
}
