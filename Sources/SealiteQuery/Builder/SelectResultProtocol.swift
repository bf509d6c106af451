internal import SealiteDatabase

/// A result of SELECT in the query builder.
public protocol SelectResultProtocol: Sendable {}
