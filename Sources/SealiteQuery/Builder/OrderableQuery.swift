/// A query that can have an order.
@safe
// Sendable: it has no property of its own.
public class OrderableQuery: LimitableQuery, @unchecked Sendable {
    /// Adds the order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy { orderBy(orderings) }
    /// Adds the order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        OrderBy(with { $0.order = orderings.compactMap { ($0 as? BuiltOrder)?.term } })
    }
}
