/// A query of the query builder to which GROUP BY can be added.
@safe
// Sendable: it has no property of its own.
public class GroupableQuery: OrderableQuery, @unchecked Sendable {
    /// Returns the query with the expressions by whose values its rows are grouped.
    public func groupBy(_ expressions: any ExpressionProtocol...) -> GroupBy { groupBy(expressions) }
    /// Returns the query with the expressions by whose values its rows are grouped.
    public func groupBy(_ expressions: [any ExpressionProtocol]) -> GroupBy {
        GroupBy(with { $0.groups = expressions.map(\.tree) })
    }
}
