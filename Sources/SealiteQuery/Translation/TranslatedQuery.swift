internal import SealiteDatabase
internal import SealiteQueryLanguage

/// A query in SQL.
struct TranslatedQuery {
    var sql: String
    /// The names of the columns c0, c1 and so on.
    var columns: [String]
    /// A Boolean value that says whether each row is the value of its only column: `SELECT VALUE`.
    var isValue: Bool
}
