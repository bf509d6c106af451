internal import SealiteDatabase
internal import SealiteQueryLanguage

/// A query that was translated to SQL.
struct TranslatedQuery {
    var sql: String
    /// The names of the result's columns; in SQL, the columns are named c0, c1 and so on.
    var columns: [String]
    /// A Boolean value that says whether each row is the value of its only column: `SELECT VALUE`.
    var isValue: Bool
}
