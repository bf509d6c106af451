internal import SealiteQueryLanguage

/// A source of a query for which an access path through an index is sought, with the terms from which conditions on the
/// index's keys can be derived.
struct AccessTarget {
    let source: QuerySource
    let collection: Int
    /// The terms of WHERE or ON that must be true for a document of the source to take part in the result.
    let terms: [Tree.Expression]
    let scope: Scope
    /// The sources whose values are known before the source's documents are searched.
    let known: [QuerySource]
    /// A Boolean value that says whether the source is the right side of an outer join: without a matching document, a
    /// row takes part with MISSING.
    var isOuter = false
}
