/// A query of the query builder that has joins.
@safe
// Sendable: it has no property of its own.
public final class Joins: FilterableQuery, @unchecked Sendable {}
