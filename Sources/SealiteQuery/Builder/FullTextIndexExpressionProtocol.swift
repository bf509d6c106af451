internal import SealiteDatabase
internal import SealiteQueryLanguage

/// A reference to a full-text index in the query builder.
public protocol FullTextIndexExpressionProtocol: Sendable {
    /// Returns the reference to the index with this name of the data source with an alias, for queries with several
    /// sources.
    func from(_ alias: String) -> any FullTextIndexExpressionProtocol
}
