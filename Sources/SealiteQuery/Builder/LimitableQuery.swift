/// A query that can have limits.
@safe
// Sendable: it has no property of its own.
public class LimitableQuery: BuilderQuery, @unchecked Sendable {
    /// Adds the maximum number of rows, and the number of rows to skip before the first one that is returned.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)? = nil) -> Limit {
        Limit(with { ($0.limit, $0.offset) = (limit.tree, offset?.tree) })
    }
}
