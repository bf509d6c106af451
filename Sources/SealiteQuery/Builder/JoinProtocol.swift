internal import SealiteDatabase

/// A join.
public protocol JoinProtocol: Sendable {}
