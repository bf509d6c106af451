internal import SealiteDatabase
internal import SealiteFile
internal import SealiteQueryLanguage

/// The syntax tree of a query, with its database and the text that it was parsed from.
struct QuerySourceText: Sendable {
    let database: Database
    let tree: Tree.Statement
    /// The text that the query was parsed from, for the positions of errors; nil for a query that was created from a
    /// tree.
    let text: String?
}
