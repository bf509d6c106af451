/// A query with an order.
@safe
// Sendable: it has no property of its own.
public final class OrderBy: LimitableQuery, @unchecked Sendable {}
