internal import FoundationEssentials
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// An expression for a key of `META()`, a document's metadata, optionally for the documents of a named data source.
public protocol MetaExpressionProtocol: ExpressionProtocol {
    /// Returns the same key of `META()` for the documents of the data source with an alias.
    func from(_ alias: String) -> any ExpressionProtocol
}
