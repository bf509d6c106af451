internal import SealiteQueryLanguage
internal import SealiteDatabase

/// A data source of a query to which an alias can be given.
public protocol DataSourceAs: DataSourceProtocol {
    /// Returns the data source with an alias, by which expressions refer to it.
    func `as`(_ alias: String) -> any DataSourceProtocol
}
