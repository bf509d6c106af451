internal import SealiteQueryLanguage

/// The source for which an access path is sought, with the terms from which conditions on keys can be derived.
struct AccessTarget {
    let source: QuerySource
    let collection: Int
    /// The terms that must be true for a document of the source to take part.
    let terms: [Tree.Expression]
    let scope: Scope
    /// The sources whose values are known before the source's documents are searched.
    let known: [QuerySource]
    /// A Boolean value that says whether the source is the right side of an outer join: without a matching document, a
    /// row takes part with MISSING.
    var isOuter = false
}
