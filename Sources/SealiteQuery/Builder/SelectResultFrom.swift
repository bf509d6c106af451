internal import SealiteQueryLanguage
internal import SealiteDatabase

/// A result of all properties, optionally those of a named data source.
public protocol SelectResultFrom: SelectResultProtocol {
    /// Returns all properties of the data source with an alias.
    func from(_ alias: String?) -> any SelectResultProtocol
}
