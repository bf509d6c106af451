internal import SealiteDatabase

/// A result of SELECT in the query builder, which becomes a column of the query.
public protocol SelectResultProtocol: Sendable {}
