/// A piece of SQL for the value of an expression, which can stand as an operand.
///
/// SQL++ values travel through SQLite as query values (Documentation/QueryFunctions.md §1): MISSING is NULL; numbers and strings are SQL's;
/// NULL, true, false, arrays and objects are JSONB in a BLOB.
struct SQLPiece: Equatable {
    /// The values that a piece can have.
    enum Form {
        /// Any query value.
        case value
        /// True, false, NULL or MISSING, as query values.
        case boolean
        /// 1 for true, 0 for false, NULL for MISSING: no query value yet.
        case truth
        /// A number or MISSING.
        case number
        /// A string or MISSING.
        case text
    }

    var sql: String
    var form: Form
    /// The function that compares the value at a path.
    static let test = "query_test"

    /// The comparison of the value at a path as a condition, which makes no query value of its outcome; nil for anything else.
    private var condition: String? {
        form == .boolean && sql.hasPrefix(Self.test) ? "query_if\(sql.dropFirst(Self.test.count))" : nil
    }

    init(_ sql: String, _ form: Form = .value) {
        self.sql = sql
        self.form = form
    }

    /// The piece as a query value.
    var value: String {
        form == .truth ? "CASE \(sql) WHEN 1 THEN x'01' WHEN 0 THEN x'02' END" : sql
    }

    /// The piece as a condition: 1, 0 or NULL. NULL of SQL++ counts as false, MISSING is NULL.
    var truth: String {
        if let condition { return condition }
        return switch form {
        case .truth: sql
        case .boolean: "(\(sql) = x'01')"
        case .number: "(\(sql) <> 0)"
        case .value, .text: "query_truth(\(sql))"
        }
    }

    /// The condition that is true where this one is false.
    var negated: String {
        if let condition { return "(NOT \(condition))" }
        return form == .boolean ? "(\(sql) <> x'01')" : "(NOT \(truth))"
    }

    static let missing = SQLPiece("NULL")
    static let null = SQLPiece("x'00'", .boolean)
    static func boolean(_ value: Bool) -> SQLPiece { SQLPiece(value ? "x'01'" : "x'02'", .boolean) }
}
