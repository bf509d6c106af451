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

/// A parameter of the SQL statement to which a statement of SQL++ is translated.
enum StatementParameter: Sendable, Equatable {
    /// A parameter of the SQL++ statement, with its name without the `$`.
    case named(String)
    /// The time at which an execution of the statement begins, in milliseconds since 1970: the value of `NOW_MILLIS()`.
    case time
    /// The counters of visited rows (`RowVisits`) of a measured execution.
    case visits

    /// The name of a parameter of the SQL++ statement; nil for other parameters.
    var name: String? { if case .named(let name) = self { name } else { nil } }
}
