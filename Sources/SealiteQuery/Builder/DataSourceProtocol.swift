internal import SealiteDatabase

/// A data source in the query builder: the documents that a query reads or joins.
public protocol DataSourceProtocol: Sendable {}
