internal import SealiteQueryLanguage
internal import SealiteDatabase

/// A result of SELECT in the query builder, to which a column name can be given.
public protocol SelectResultAs: SelectResultProtocol {
    /// Returns the result with a column name; nil for the name that is derived from its expression.
    func `as`(_ alias: String?) -> any SelectResultProtocol
}
