/// A piece of SQL for the value of an expression, which can be used as an operand.
///
/// SQL++ values pass through SQLite as query values (Documentation/QueryFunctions.md §1): MISSING is NULL; numbers and
/// strings are SQL's; NULL, true, false, arrays and objects are JSONB in a BLOB.
struct SQLPiece: Equatable {
    /// The kinds of values that a piece can have.
    enum Form {
        /// Any query value.
        case value
        /// True, false, NULL or MISSING, as query values.
        case boolean
        /// 1 for true, 0 for false, NULL for MISSING, as SQL conditions have them; not a query value.
        case truth
        /// A number that isn't a BLOB, so that SQL compares it, or MISSING.
        case number
        /// A string or MISSING.
        case text
    }

    var sql: String
    var form: Form
    /// The name of the SQL function that compares the value at a path with another value.
    static let test = "query_test"

    /// The SQL for the comparison of the value at a path, as a condition whose result isn't converted to a query value;
    /// nil if the piece is another expression.
    private var condition: String? {
        guard form == .boolean, sql.hasPrefix(Self.test) else { return nil }
        return SQLText.joined("query_if", String(decoding: sql.utf8.dropFirst(Self.test.utf8.count), as: UTF8.self))
    }

    init(_ sql: String, _ form: Form = .value) {
        self.sql = sql
        self.form = form
    }

    /// The SQL of the piece as a query value.
    var value: String {
        form == .truth ? "CASE \(sql) WHEN 1 THEN x'01' WHEN 0 THEN x'02' END" : sql
    }

    /// The SQL of the piece as a condition: 1, 0 or NULL. SQL++'s NULL becomes 0, and MISSING becomes NULL.
    var truth: String {
        if let condition { return condition }
        return switch form {
        case .truth: sql
        case .boolean: SQLText.joined("(", sql, " = x'01')")
        case .number: SQLText.joined("(", sql, " <> 0)")
        case .value, .text: SQLText.joined("query_truth(", sql, ")")
        }
    }

    /// The SQL of the piece's negation, as a condition.
    var negated: String {
        if let condition { return SQLText.joined("(NOT ", condition, ")") }
        return form == .boolean ? SQLText.joined("(", sql, " <> x'01')") : SQLText.joined("(NOT ", truth, ")")
    }

    static let missing = SQLPiece("NULL")
    static let null = SQLPiece("x'00'", .boolean)
    static func boolean(_ value: Bool) -> SQLPiece { SQLPiece(value ? "x'01'" : "x'02'", .boolean) }
}
