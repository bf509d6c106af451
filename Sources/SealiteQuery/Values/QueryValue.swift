internal import SealiteDatabase
internal import SealiteJSON

/// A value of a query in the form in which it passes through SQLite (Documentation/QueryFunctions.md §1).
enum QueryValue: Sendable, Hashable {
    case missing
    case integer(Int64)
    case real(Double)
    case text(String)
    /// NULL, true, false, an array, an object, or a number that neither a 64-bit integer nor a double holds exactly, as
    /// JSONB.
    case element([UInt8])

    /// Creates the value in a column of a statement's row.
    init(_ row: borrowing PreparedStatement, _ column: CInt) {
        switch row.type(at: column) {
        case .null: self = .missing
        case .integer: self = .integer(row.int64(at: column))
        case .real: self = .real(row.double(at: column))
        case .text: self = .text(row.text(at: column))
        case .blob: self = .element(row.bytes(at: column) ?? [])
        }
    }

    /// Creates the query value for the value of a parameter.
    ///
    /// - Throws: `invalidParameter` for a number that isn't finite, or nesting that is too deep.
    init(_ value: Value) throws {
        switch value {
        case .string(let text): self = .text(text)
        case .number(let number):
            let element = try value.jsonb()
            self = Self.number(number) ?? .element(element)
        default: self = .element(try value.jsonb())
        }
    }

    /// Returns a number as an integer or a double of SQLite; nil if neither represents it exactly.
    private static func number(_ number: Number) -> QueryValue? {
        let text = number.description
        if let integer = Int64(text), String(integer) == text { return .integer(integer) }
        guard let double = Double(text), double.isFinite,
            let exact = JSONNumber(json: Array(text.utf8)),
            let shortest = JSONNumber(json: Array(double.description.utf8)),
            exact == shortest
        else { return nil }
        return .real(double)
    }

    /// Returns the value in the type of the public API; nil for MISSING and for damaged bytes. `database` is the one
    /// that the content of blobs in the value is read from.
    func value(_ database: Database?) -> Value? {
        switch self {
        case .missing: nil
        case .integer(let integer): Value(integer)
        case .real(let double): Value(double)
        case .text(let text): .string(text)
        case .element(let bytes): Value(jsonb: bytes, database: database)
        }
    }

    /// Writes the value as a member of an object in JSONB; nothing for MISSING and for damaged bytes.
    func write(_ name: String, to writer: inout JSONBWriter) {
        if case .missing = self { return }
        if case .element(let bytes) = self {
            guard JSONBElement(root: bytes.span)?.end == bytes.count else { return }
            writer.string(name)
            return writer.raw(bytes.span, 0, bytes.count)
        }
        writer.string(name)
        switch self {
        case .integer(let integer): writer.integer(integer)
        case .real(let double): writer.ascii(JSONBType.float, double.description)
        case .text(let text): writer.string(text)
        case .missing, .element: break
        }
    }

    /// Binds the value to the parameter of an SQL statement at a position, from 1.
    func bind(_ statement: borrowing PreparedStatement, at position: CInt) {
        switch self {
        case .missing: statement.bindNull(at: position)
        case .integer(let integer): statement.bind(integer, at: position)
        case .real(let double): statement.bind(double, at: position)
        case .text(let text): statement.bind(text, at: position)
        case .element(let bytes): statement.bind(bytes, at: position)
        }
    }

    /// The approximate size of the value in memory, in bytes.
    var byteCount: Int {
        switch self {
        case .missing, .integer, .real: 16
        case .text(let text): 16 + text.utf8.count
        case .element(let bytes): 48 + bytes.count
        }
    }
}

extension [QueryValue] {
    /// Binds the values to the parameters of a statement, from the first one on.
    func bind(to statement: borrowing PreparedStatement) {
        for (index, value) in enumerated() { value.bind(statement, at: CInt(index + 1)) }
    }
}

extension Database {
    /// Returns the rows of an SQL statement in the current transaction or snapshot, at most `limit`. Its parameters have
    /// the given values; `isKept` says whether the prepared statement is kept for further executions.
    func rows(
        _ sql: String, _ values: [QueryValue], isKept: Bool = true, limit: Int = .max
    ) throws -> [[QueryValue]] {
        var rows: [[QueryValue]] = []
        try readRows(sql, isKept: isKept, bind: values.bind) { row in
            guard rows.count < limit else { return }
            rows.append((0..<CInt(row.columnCount)).map { QueryValue(row, $0) })
        }
        return rows
    }
}
