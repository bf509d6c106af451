/// A query that can have groups.
@safe
// Sendable: it has no property of its own.
public class GroupableQuery: OrderableQuery, @unchecked Sendable {
    /// Adds the expressions by which rows are grouped.
    public func groupBy(_ expressions: any ExpressionProtocol...) -> GroupBy { groupBy(expressions) }
    /// Adds the expressions by which rows are grouped.
    public func groupBy(_ expressions: [any ExpressionProtocol]) -> GroupBy {
        GroupBy(with { $0.groups = expressions.map(\.tree) })
    }
}
