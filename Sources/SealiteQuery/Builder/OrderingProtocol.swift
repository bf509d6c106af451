internal import SealiteDatabase

/// A term of ORDER BY in the query builder.
public protocol OrderingProtocol: Sendable {}
