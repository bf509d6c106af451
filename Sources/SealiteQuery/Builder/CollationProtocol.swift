/// A collation of the query builder.
public protocol CollationProtocol: Sendable {}
