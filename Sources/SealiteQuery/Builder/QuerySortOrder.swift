internal import SealiteQueryLanguage

/// A term of ORDER BY in the query builder, whose direction can be chosen; ascending by default.
public protocol QuerySortOrder: OrderingProtocol {
    /// Returns the term in ascending order of values.
    func ascending() -> any OrderingProtocol
    /// Returns the term in descending order of values.
    func descending() -> any OrderingProtocol
}
