internal import SealiteDatabase

/// A source of documents.
public protocol DataSourceProtocol: Sendable {}
