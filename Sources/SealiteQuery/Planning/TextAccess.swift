internal import SealiteDatabase
internal import SealiteFunctions

/// An access path to documents through the words of a full-text index: the FTS5 table is scanned first and returns the
/// documents' row numbers. FTS5's functions can then be called for this scan.
struct TextAccess {
    let index: TextIndex
    /// The search text, the second argument of MATCH.
    let query: Tree.Expression
    /// The alias of the index's FTS5 table in SQL.
    let alias: String
    /// The SQL for the FTS5 expression to which the search text is translated.
    let expression: String

    /// The SQL condition that is false for a row that can't be among the first rows by rank, the only ones that the
    /// query returns; nil if all rows are needed.
    var best: String?

    /// The SQL by which FTS5's functions refer to the scanned table, their first argument.
    var handle: String { "\(alias).\(index.table)" }
}
