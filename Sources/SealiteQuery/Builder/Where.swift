/// A query with a condition.
@safe
// Sendable: it has no property of its own.
public final class Where: GroupableQuery, @unchecked Sendable {}
