internal import SealiteQueryLanguage

/// A condition on a key of an index that follows from a term of WHERE.
struct KeyBound {
    /// The relation between a key of an index and the values that bound it.
    enum Relation: Equatable {
        case equal, less, lessOrEqual, greater, greaterOrEqual
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
    }

    let relation: Relation
    /// The values that the key is compared with, which don't depend on the document; empty for relations without
    /// values.
    let values: [Tree.Expression]
    let collation: String?
    /// The index in `AccessTarget.terms` of the term from which the bound follows.
    let term: Int
}
