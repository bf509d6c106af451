internal import FoundationEssentials
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// An expression for a key of META, optionally that of a named data source.
public protocol MetaExpressionProtocol: ExpressionProtocol {
    /// Returns the key of META for the document of the data source with an alias.
    func from(_ alias: String) -> any ExpressionProtocol
}
