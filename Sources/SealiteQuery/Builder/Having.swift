/// A query with a condition for groups.
@safe
// Sendable: it has no property of its own.
public final class Having: OrderableQuery, @unchecked Sendable {}
