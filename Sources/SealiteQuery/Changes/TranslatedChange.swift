internal import SealiteQueryLanguage

/// An UPDATE, DELETE or INSERT, without the query that finds its documents.
struct TranslatedChange: Sendable {
    enum Kind: Sendable {
        /// An UPDATE: the query returns ids, and a value for each of the paths to set.
        case update(set: [ChangedPath], unset: [ChangedPath])
        /// A DELETE: the query returns ids.
        case delete
        /// An INSERT: the query returns ids and bodies, or bodies only.
        case insert(hasKey: Bool)
    }

    let kind: Kind
    /// The names of the collection whose documents are changed.
    let collection: (scope: String, name: String)
    /// The query for the row of RETURNING for one document, whose id is the parameter after those of the statement.
    var returning: TranslatedQuery?
}
