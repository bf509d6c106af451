internal import SealiteDatabase

/// A term of ORDER BY.
public protocol OrderingProtocol: Sendable {}
