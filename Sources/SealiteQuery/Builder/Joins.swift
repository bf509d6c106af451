/// A query with joins.
@safe
// Sendable: it has no property of its own.
public final class Joins: FilterableQuery, @unchecked Sendable {}
