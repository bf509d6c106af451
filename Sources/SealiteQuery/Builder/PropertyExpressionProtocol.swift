internal import FoundationEssentials
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// An expression for a property of documents, optionally those of a named data source.
public protocol PropertyExpressionProtocol: ExpressionProtocol {
    /// Returns the expression for the same property in the documents of the data source with an alias.
    func from(_ alias: String) -> any ExpressionProtocol
}
