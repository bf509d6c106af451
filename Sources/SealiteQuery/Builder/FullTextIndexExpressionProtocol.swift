internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The name of a full-text index in the query builder.
public protocol FullTextIndexExpressionProtocol: Sendable {
    /// Returns the full-text index of the source with an alias, for queries with several sources.
    func from(_ alias: String) -> any FullTextIndexExpressionProtocol
}
