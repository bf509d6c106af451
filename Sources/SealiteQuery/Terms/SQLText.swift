internal import SealiteBase
internal import SealiteFunctions
internal import SealiteJSON
internal import SealiteQueryLanguage

/// Writes SQL literals for texts, bytes and values.
enum SQLText {
    /// The maximum number of arguments of one function call in SQL.
    static let argumentLimit = 100

    /// Returns the given texts joined together, with one allocation.
    static func joined(_ parts: String...) -> String {
        var count = 0
        for part in parts { count += part.utf8.count }
        return unsafe String(unsafeUninitializedCapacity: count) { buffer in
            var end = 0
            for part in parts {
                let bytes = part.utf8.span
                unsafe bytes.withUnsafeBufferPointer { bytes in
                    let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[end...])
                    _ = unsafe rest.initialize(fromContentsOf: bytes)
                }
                end += bytes.count
            }
            assert(end == count, "each byte of the text is written")
            return end
        }
    }

    /// Returns the SQL for a string: a literal or, for a string with a NUL, which would end SQL text, its bytes
    /// converted to text.
    static func string(_ text: String) -> String {
        let characters = text.utf8.span
        var (hasEnd, hasMark) = (false, false)
        for index in characters.indices {
            hasEnd = hasEnd || characters[index] == 0
            hasMark = hasMark || characters[index] == UInt8(ascii: "'")
        }
        if hasEnd { return "CAST(\(bytes(text.utf8)) AS TEXT)" }
        return hasMark ? text.quoted("'") : joined("'", text, "'")
    }

    /// Returns the SQL literal of a BLOB.
    static func bytes(_ bytes: some Collection<UInt8>) -> String { "x'\(Hexadecimal.text(of: bytes))'" }

    /// Returns the SQL for a number as a query value. `json` is the number as JSON text. Any number but a 64-bit
    /// integer is written as JSONB, because SQLite doesn't parse decimals exactly.
    static func number(_ json: String) -> String {
        if isInteger(json) { return json }
        var element = JSONBWriter()
        let isFloat = json.utf8.contains { $0 == 0x2E || $0 == 0x65 || $0 == 0x45 }
        element.ascii(isFloat ? JSONBType.float : JSONBType.integer, json)
        return "query_value(\(bytes(element.bytes)))"
    }

    /// Returns whether a number is a BLOB as a query value, because neither 64 bits nor a double can represent it. `json`
    /// is the number as JSON text.
    static func isBig(_ json: String) -> Bool { !isInteger(json) && isBigNumber(json) }

    /// Returns whether the text of a number is that of a 64-bit integer.
    private static func isInteger(_ json: String) -> Bool {
        let digits = json.utf8.span
        if !digits.isEmpty, digits.count < 19, digits.count == 1 || digits[0] != 0x30 {
            var isPositive = true
            for index in digits.indices where digits[index] < 0x30 || digits[index] > 0x39 { isPositive = false }
            if isPositive { return true }
        }
        return Int64(json).map { String($0) == json } ?? false
    }

    /// Returns the SQL of the steps of a path as arguments of a function, each preceded by a comma. Slices and stars are
    /// left out.
    static func steps(_ steps: some Sequence<PathStep>) -> String {
        var text = ""
        for step in steps {
            switch step {
            case .name(let name):
                text += ", "
                text += string(name)
            case .index(let index): text += ", \(index)"
            case .slice, .star: break
            }
        }
        return text
    }
}

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

/// The value to which a path leads, in SQL: a base value, and the steps from it.
struct Located {
    /// The SQL of the base value: a document's body or another query value.
    let base: String
    let steps: ArraySlice<PathStep>
    /// The SQL of the base value and the steps, as arguments of one function call; not valid for slices and stars.
    let arguments: String

    init(base: String, steps: ArraySlice<PathStep>) {
        (self.base, self.steps) = (base, steps)
        arguments = base + SQLText.steps(steps)
    }

    /// A Boolean value that says whether there are steps, and one call of an SQL function can follow all of them.
    var isPlain: Bool {
        !steps.isEmpty && steps.count <= SQLText.argumentLimit && steps.allSatisfy(\.isPlain)
    }

    /// The SQL of the value at the end of the steps.
    var value: String {
        if isPlain { return SQLText.joined("query_value(", arguments, ")") }
        var (sql, plain) = (base, [PathStep]())
        func flushed() -> String { plain.isEmpty ? sql : "query_value(\(sql)\(SQLText.steps(plain)))" }
        var rest = steps
        while let step = rest.popFirst() {
            switch step {
            case .slice(let from, let to):
                sql = "query_slice(\(flushed()), \(from.map(String.init) ?? "NULL"), \(to.map(String.init) ?? "NULL"))"
                plain = []
            case .star:
                // With the name after the star, the function makes only one of the arrays.
                var name: [PathStep] = []
                if case .name? = rest.first { name = [rest.removeFirst()] }
                sql = "query_array_star(\(flushed())\(SQLText.steps(name)))"
                plain = []
            case .name, .index:
                if plain.count == SQLText.argumentLimit { (sql, plain) = (flushed(), []) }
                plain.append(step)
            }
        }
        return flushed()
    }
}
