internal import SealiteQueryLanguage

/// A query of the query builder to which ORDER BY can be added.
@safe
// Sendable: it has no property of its own.
public class OrderableQuery: LimitableQuery, @unchecked Sendable {
    /// Returns the query with the order of its rows: by the first term, and among rows that are equal in it by the next
    /// one.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy { orderBy(orderings) }
    /// Returns the query with the order of its rows: by the first term, and among rows that are equal in it by the next
    /// one.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        let terms = orderings.map { ordering in
            (ordering as? BuiltOrder)?.term ?? Tree.OrderTerm(.foreign("a term of ORDER BY", "Ordering"))
        }
        return OrderBy(with { $0.order = terms })
    }
}
