/// A query of the query builder that has an order.
@safe
// Sendable: it has no property of its own.
public final class OrderBy: LimitableQuery, @unchecked Sendable {}
