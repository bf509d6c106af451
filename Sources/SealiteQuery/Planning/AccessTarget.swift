internal import SealiteQueryLanguage

/// The source for whose documents an access path is sought, with the terms for conditions on keys.
struct AccessTarget {
    let source: QuerySource
    let collection: Int
    /// The terms that must be true for a document to take part.
    let terms: [Tree.Expression]
    let scope: Scope
    /// The sources whose values are known before the documents are searched.
    let known: [QuerySource]
    /// A Boolean value that says whether a row without a matching document takes part with MISSING.
    var isOuter = false
}
