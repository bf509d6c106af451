internal import SealiteDatabase
internal import SealiteFile
internal import SealiteQueryLanguage

/// The syntax tree of a query, with its database and the text that it was parsed from.
struct QuerySourceText: Sendable {
    let database: Database
    let tree: Tree.Statement
    /// The text, for the positions of errors; nil for a query of the query builder.
    let text: String?
}
