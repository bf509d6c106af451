internal import SealiteQueryLanguage
internal import SealiteDatabase

/// A result that can have an alias.
public protocol SelectResultAs: SelectResultProtocol {
    /// Returns the result with a column name.
    func `as`(_ alias: String?) -> any SelectResultProtocol
}
