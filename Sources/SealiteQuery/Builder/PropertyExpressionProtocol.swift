internal import FoundationEssentials
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// An expression for a property, optionally that of a named data source.
public protocol PropertyExpressionProtocol: ExpressionProtocol {
    /// Returns the property in the documents of the data source with an alias.
    func from(_ alias: String) -> any ExpressionProtocol
}
