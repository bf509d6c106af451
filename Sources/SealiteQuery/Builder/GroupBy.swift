/// A query of the query builder that groups its rows.
@safe
// Sendable: it has no property of its own.
public final class GroupBy: OrderableQuery, @unchecked Sendable {
    /// Returns the query with the condition that groups must fulfil (HAVING).
    public func having(_ condition: any ExpressionProtocol) -> Having {
        Having(with { $0.groupCondition = condition.tree })
    }
}
