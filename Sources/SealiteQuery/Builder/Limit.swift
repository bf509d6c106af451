/// A query with limits.
@safe
// Sendable: it has no property of its own.
public final class Limit: BuilderQuery, @unchecked Sendable {}
