internal import SealiteDatabase
internal import SealiteFunctions

/// An access path to documents through the words of a full-text index: the FTS5 table is scanned first and yields the
/// numbers of the documents, and its functions have access to the query.
struct TextAccess {
    let index: TextIndex
    /// The query of the MATCH condition.
    let query: Tree.Expression
    /// The alias of the FTS5 table.
    let alias: String
    /// The expression of FTS5, in SQL.
    let expression: String

    /// The condition that a row can be among the first rows of the query; nil if all rows are needed.
    var best: String?

    /// The FTS5 table as the first argument of its functions.
    var handle: String { "\(alias).\(index.table)" }
}
