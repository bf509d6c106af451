/// A query that can have a condition.
@safe
// Sendable: it has no property of its own.
public class FilterableQuery: GroupableQuery, @unchecked Sendable {
    /// Adds the condition that rows must fulfil.
    public func `where`(_ condition: any ExpressionProtocol) -> Where { Where(with { $0.condition = condition.tree }) }
}
