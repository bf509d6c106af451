/// A query of the query builder that has a maximum number of rows.
@safe
// Sendable: it has no property of its own.
public final class Limit: BuilderQuery, @unchecked Sendable {}
