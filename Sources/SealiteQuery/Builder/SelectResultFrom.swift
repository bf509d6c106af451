internal import SealiteQueryLanguage
internal import SealiteDatabase

/// A result of SELECT in the query builder with all properties of a document, optionally one of a named data source.
public protocol SelectResultFrom: SelectResultProtocol {
    /// Returns the result with all properties of a document of the data source with an alias; nil for the query's only
    /// source.
    func from(_ alias: String?) -> any SelectResultProtocol
}
