internal import SealiteQueryLanguage

/// The translation of an UPDATE, DELETE or INSERT, without the SQL query that finds the documents to change.
struct TranslatedChange: Sendable {
    enum Kind: Sendable {
        /// An UPDATE. The query that finds the documents returns their IDs, and a value for each of the paths in `set`.
        case update(set: [ChangedPath], unset: [ChangedPath])
        /// A DELETE. The query that finds the documents returns their IDs.
        case delete
        /// An INSERT. The query returns the new documents: their IDs and bodies, or bodies only if `hasKey` is false.
        case insert(hasKey: Bool)
    }

    let kind: Kind
    /// The scope and the name of the collection whose documents are changed.
    let collection: (scope: String, name: String)
    /// The SQL query for the row that RETURNING gives for one document; nil without RETURNING. The document's ID is the
    /// query's last parameter.
    var returning: TranslatedQuery?
}
