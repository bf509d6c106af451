/// A query with groups.
@safe
// Sendable: it has no property of its own.
public final class GroupBy: OrderableQuery, @unchecked Sendable {
    /// Adds the condition that groups must fulfil.
    public func having(_ condition: any ExpressionProtocol) -> Having {
        Having(with { $0.groupCondition = condition.tree })
    }
}
