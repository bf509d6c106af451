internal import SealiteQueryLanguage

/// A condition on the key of an index that follows from a term of WHERE.
struct KeyBound {
    /// The relation of a key and a value that doesn't depend on the document.
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
    /// The values; empty for relations without values.
    let values: [Tree.Expression]
    let collation: String?
    /// The number of the term in the list of terms.
    let term: Int
}
