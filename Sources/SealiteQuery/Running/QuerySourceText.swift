internal import SealiteDatabase
internal import SealiteFile
internal import SealiteQueryLanguage

/// The tree of a query with its origin.
struct QuerySourceText: Sendable {
    let database: Database
    let tree: Tree.Statement
    /// The text, if there was one, for the positions of errors.
    let text: String?
}
