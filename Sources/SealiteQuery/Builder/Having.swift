/// A query of the query builder that has a condition for its groups.
@safe
// Sendable: it has no property of its own.
public final class Having: OrderableQuery, @unchecked Sendable {}
