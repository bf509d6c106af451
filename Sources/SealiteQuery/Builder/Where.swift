/// A query of the query builder that has a WHERE condition.
@safe
// Sendable: it has no property of its own.
public final class Where: GroupableQuery, @unchecked Sendable {}
