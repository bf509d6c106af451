internal import SealiteQueryLanguage

/// A condition on a key of an index that follows from a term of WHERE.
struct KeyBound {
    /// The relation between a key of an index and the values that bound it.
    enum Relation: Equatable {
        /// The key equals the value, and neither is MISSING.
        case equal
        /// The key equals the value, or both are MISSING.
        case identical
        case less, lessOrEqual, greater, greaterOrEqual
        /// The key is a text that starts with the value.
        case prefix
        /// The key is one of several values.
        case oneOf
        /// The key is neither NULL nor MISSING.
        case valued
        /// The key isn't MISSING.
        case present
        /// The key is MISSING.
        case missing

        /// A Boolean value that says whether the relation holds only for a key that equals one value.
        var isEquality: Bool { self == .equal || self == .identical }
        /// A Boolean value that says whether the relation is one to one value or several.
        var hasValue: Bool { self != .valued && self != .present && self != .missing }
    }

    let relation: Relation
    /// The values that the key is compared with, which don't depend on the document; empty for relations without
    /// values.
    let values: [Tree.Expression]
    let collation: String?
    /// The index in `AccessTarget.terms` of the term from which the bound follows.
    let term: Int

    /// Returns whether the bound, on the values of an expression over an element, is known to be false if the element is
    /// MISSING.
    func excludesMissing(of expression: Tree.Expression) -> Bool {
        guard case .path = expression else { return false }
        return relation != .missing && relation != .identical
    }
}
