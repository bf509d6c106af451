import CSQLite
import SealiteFile
import SealiteJSON

/// Compares a copy of a database with its source, row by row: schema, settings and every table, including rowids.
struct ContentComparison {
    private(set) var tableCount = 0
    private(set) var rowCount: Int64 = 0
    private let source: RawConnection
    private let copy: RawConnection
    private let progress: CopyProgressHandler

    init(source: RawConnection, copy: RawConnection, progress: @escaping CopyProgressHandler) {
        self.source = source
        self.copy = copy
        self.progress = progress
        unsafe sealite_configure(copy.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    }

    /// The pragmas whose values must be equal in the copy and its source.
    private static let settings = ["user_version", "application_id", "encoding", "auto_vacuum", "default_cache_size"]

    /// Runs the comparison.
    ///
    /// - Throws: `integrity` at the first difference; `cancelled`.
    mutating func run() throws(SealedFileError) {
        for setting in Self.settings {
            try requireEqual("PRAGMA \(setting)", "the setting \(setting)")
        }
        try requireEqual(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name <> 'sqlite_sequence'"
                + " ORDER BY type, name, tbl_name", "the schema")
        let tables = try comparedTables()
        for table in tables {
            try report(tables.count)
            rowCount += try requireEqual(table.query, "table \(quoted(table.name))")
            tableCount += 1
        }
        try report(tables.count)
    }

    private func comparedTables() throws(SealedFileError) -> [TableShape] {
        let tables = try TableShape.all(in: source)
        guard tables.contains(where: { $0.name == "sqlite_sequence" }),
            try source.integer("SELECT count(*) FROM sqlite_sequence") == 0
        else { return tables }
        // Remains of AUTOINCREMENT after its last table was dropped, which VACUUM rightly leaves out.
        return tables.filter { $0.name != "sqlite_sequence" }
    }

    private func report(_ total: Int) throws(SealedFileError) {
        let now = CopyProgress(phase: .comparing, completed: Int64(tableCount), total: Int64(total))
        guard progress(now) else { throw .copyCancelled }
    }

    /// Runs one query on both databases and compares the results value by value. Returns the number of rows. Throws
    /// `integrity` if the results differ.
    @discardableResult
    private func requireEqual(_ sql: String, _ what: String) throws(SealedFileError) -> Int64 {
        let left = try RowCursor(sql, on: source)
        let right = try RowCursor(sql, on: copy)
        var count: Int64 = 0
        while true {
            let (hasLeft, hasRight) = (try left.step(), try right.step())
            guard hasLeft == hasRight, !hasLeft || left.hasSameValues(as: right) else {
                throw SealedFileError(
                    .integrity,
                    "the copy of \"\(source.path)\" isn't equal to it: \(what) differs (row \(count + 1) of the comparison)",
                    hint: "check the source with 'PRAGMA integrity_check'; the copy was removed")
            }
            if !hasLeft { return count }
            count += 1
        }
    }
}

/// A table with stored rows, and the query that reads all of it in its natural order.
private struct TableShape {
    let name: String
    let query: String

    /// Returns the tables that have pages. Virtual tables are left out, but their shadow tables are included.
    static func all(in connection: RawConnection) throws(SealedFileError) -> [TableShape] {
        var names: [String] = []
        try connection.query(
            "SELECT name FROM sqlite_schema WHERE type='table' AND coalesce(rootpage, 0) > 0 ORDER BY name"
        ) { (row) throws(SealedFileError) in names.append(row.text(0) ?? "") }
        var tables: [TableShape] = []
        for name in names { tables.append(try TableShape(name, in: connection)) }
        return tables
    }

    private init(_ name: String, in connection: RawConnection) throws(SealedFileError) {
        self.name = name
        var columns: [String] = []
        // Virtual generated columns (2) are computed from other columns, possibly by a function that isn't available.
        try connection.query(
            "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 2 ORDER BY cid", bind: [.text(name)]
        ) { (row) throws(SealedFileError) in columns.append(row.text(0) ?? "") }
        var hasRowid = true
        try connection.query(
            "SELECT wr FROM pragma_table_list WHERE schema='main' AND name=?1", bind: [.text(name)]
        ) { (row) throws(SealedFileError) in hasRowid = row.integer(0) == 0 }
        let taken = Set(columns.map { $0.lowercased() })
        let rowid = hasRowid ? ["rowid", "_rowid_", "oid"].first { !taken.contains($0) } : nil
        let list = (rowid.map { [$0] } ?? []) + columns.map(quoted)
        query =
            "SELECT \(list.joined(separator: ", ")) FROM \(quoted(name)) NOT INDEXED"
            + (rowid.map { " ORDER BY \($0)" } ?? "")
    }
}

/// Returns a name as an SQL identifier.
func quoted(_ name: String) -> String { name.quoted("\"") }

/// A running statement whose values are compared without copying them.
@safe private final class RowCursor {
    private let statement: OpaquePointer
    private let connection: RawConnection

    init(_ sql: String, on connection: RawConnection) throws(SealedFileError) {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(connection.handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let prepared = unsafe statement else { throw connection.error(code) }
        unsafe self.statement = unsafe prepared
        self.connection = connection
    }

    deinit { unsafe sqlite3_finalize(statement) }

    func step() throws(SealedFileError) -> Bool {
        let code = unsafe sqlite3_step(statement)
        guard code == SQLITE_ROW || code == SQLITE_DONE else { throw connection.error(code) }
        return code == SQLITE_ROW
    }

    func hasSameValues(as other: RowCursor) -> Bool {
        let count = unsafe sqlite3_column_count(statement)
        guard unsafe count == sqlite3_column_count(other.statement) else { return false }
        return (0..<count).allSatisfy { isEqual($0, to: other) }
    }

    private func isEqual(_ column: CInt, to other: RowCursor) -> Bool {
        let type = unsafe sqlite3_column_type(statement, column)
        guard unsafe type == sqlite3_column_type(other.statement, column) else { return false }
        switch type {
        case SQLITE_NULL:
            return true
        case SQLITE_INTEGER:
            return unsafe sqlite3_column_int64(statement, column) == sqlite3_column_int64(other.statement, column)
        case SQLITE_FLOAT:
            return unsafe sqlite3_column_double(statement, column).bitPattern
                == sqlite3_column_double(other.statement, column).bitPattern
        default:
            // Text is compared by its stored bytes rather than by the decoded string.
            let (left, right) = unsafe (
                sqlite3_column_blob(statement, column), sqlite3_column_blob(other.statement, column)
            )
            let byteCount = unsafe sqlite3_column_bytes(statement, column)
            guard unsafe byteCount == sqlite3_column_bytes(other.statement, column) else { return false }
            guard let left = unsafe left, let right = unsafe right else { return byteCount == 0 }
            return unsafe memcmp(left, right, Int(byteCount)) == 0
        }
    }
}
