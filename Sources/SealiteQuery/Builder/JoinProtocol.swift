internal import SealiteDatabase

/// A join of a query's source with another source.
public protocol JoinProtocol: Sendable {}
