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
        copy.limitSchemaTrust()
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
        try connection.texts(
            "SELECT name FROM sqlite_schema WHERE type='table' AND coalesce(rootpage, 0) > 0 ORDER BY name"
        ).map { (name) throws(SealedFileError) in try TableShape(name, in: connection) }
    }

    private init(_ name: String, in connection: RawConnection) throws(SealedFileError) {
        self.name = name
        // Virtual generated columns (2) are computed from other columns, possibly by a function that isn't available.
        let columns = try connection.texts(
            "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 2 ORDER BY cid", bind: [.text(name)])
        let rowid = try connection.hasRowid(name) ? freeRowidName(besides: columns) : nil
        let list = (rowid.map { [$0] } ?? []) + columns.map(quoted)
        query =
            "SELECT \(list.joined(separator: ", ")) FROM \(quoted(name)) NOT INDEXED"
            + (rowid.map { " ORDER BY \($0)" } ?? "")
    }
}

/// Returns a name as an SQL identifier.
func quoted(_ name: String) -> String { name.quoted("\"") }

/// Returns the name by which the rowid of a table with these columns can be read.
func freeRowidName(besides columns: some Sequence<String>) -> String? {
    let taken = Set(columns.map { $0.lowercased() })
    return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
}

extension RawConnection {
    /// Returns whether a table is a rowid table, as all are that weren't made with WITHOUT ROWID.
    func hasRowid(_ table: String, schema: String = "main") throws(SealedFileError) -> Bool {
        try integer(
            "SELECT wr FROM pragma_table_list WHERE schema = ?2 AND name = ?1 COLLATE NOCASE",
            bind: [.text(table), .text(schema)]) == 0
    }
}

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

/// Copies a database row by row to a plain file whose pages have no reserved bytes.
///
/// VACUUM INTO can't create one from a sealed file: it uses the larger of the source's and the requested number of
/// reserved bytes. The order of the steps is that of SQLite's own VACUUM: tables, rows, indexes, then everything
/// without pages. The caller compares the copy with its source; if a database can't be copied this way, either a
/// statement of the copy or that comparison fails.
struct RowCopier {
    private let sourceURI: String
    /// The empty file to fill.
    private let copy: RawConnection
    /// Runs statements on a connection with a progress handler.
    private let watch: (RawConnection, () throws(SealedFileError) -> Void) throws(SealedFileError) -> Void

    private static let source = "sealed"

    init(
        sourceURI: String, copy: RawConnection,
        watch: @escaping (RawConnection, () throws(SealedFileError) -> Void) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        self.sourceURI = sourceURI
        self.copy = copy
        self.watch = watch
        unsafe sealite_configure(copy.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        copy.limitSchemaTrust()
        // The file still has its temporary name, so after a crash it is discarded whatever its journal contains.
        try copy.execute(
            """
            PRAGMA main.journal_mode=OFF; PRAGMA main.synchronous=OFF; PRAGMA main.locking_mode=EXCLUSIVE;
            PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON
            """)
    }

    /// Copies everything, in one transaction.
    func run(pageSize: Int, autoVacuum: Int64, encoding: String) throws(SealedFileError) {
        // Set before the source is attached: both must have the same encoding.
        try copy.execute(
            "PRAGMA encoding='\(encoding)'; PRAGMA page_size=\(pageSize); PRAGMA auto_vacuum=\(autoVacuum)")
        try copy.query("ATTACH ?1 AS \(Self.source)", bind: [.text(sourceURI)])
        // Allows writing the tables with reserved names and the schema itself.
        try copy.execute("BEGIN; PRAGMA writable_schema=ON")
        for sql in try statements(of: "table") { try copy.execute(sql) }
        for table in try tables() { try copyRows(of: table) }
        for sql in try statements(of: "index") {
            try watch(copy) { () throws(SealedFileError) in try copy.execute(sql) }
        }
        try copy.execute(
            """
            INSERT INTO main.sqlite_schema SELECT * FROM \(Self.source).sqlite_schema
                WHERE type IN ('view', 'trigger') OR (type = 'table' AND coalesce(rootpage, 0) = 0);
            """)
        for setting in ["user_version", "application_id"] {
            let value = try copy.integer("PRAGMA \(Self.source).\(setting)")
            if value != 0 { try copy.execute("PRAGMA main.\(setting)=\(value)") }
        }
        let cacheSize = try copy.integer("PRAGMA \(Self.source).default_cache_size")
        if try copy.integer("PRAGMA main.default_cache_size") != cacheSize {
            try copy.execute("PRAGMA main.default_cache_size=\(cacheSize)")
        }
        try copy.execute("COMMIT")
    }

    /// Returns the CREATE statements of the objects of one type that have pages, in their order in the schema, but that
    /// of `sqlite_sequence` first. If an AUTOINCREMENT table came first, SQLite would create `sqlite_sequence` with it.
    /// The statement is needed because SQLite keeps `sqlite_sequence` when the last AUTOINCREMENT table is dropped.
    private func statements(of type: String) throws(SealedFileError) -> [String] {
        try copy.texts(
            "SELECT sql FROM \(Self.source).sqlite_schema WHERE type = ?1 AND rootpage > 0 AND sql IS NOT NULL"
                + " ORDER BY name <> 'sqlite_sequence', rowid", bind: [.text(type)])
    }

    /// Returns the names of the tables that have pages, `sqlite_sequence` last: SQLite writes to it when rows are
    /// inserted into AUTOINCREMENT tables.
    private func tables() throws(SealedFileError) -> [String] {
        try copy.texts(
            "SELECT name FROM \(Self.source).sqlite_schema WHERE type = 'table' AND rootpage > 0"
                + " ORDER BY name = 'sqlite_sequence', rowid")
    }

    private func copyRows(of table: String) throws(SealedFileError) {
        let columns = try RowidTable(table, schema: Self.source, in: copy).storedColumns.joined(separator: ", ")
        let name = quoted(table)
        if table == "sqlite_sequence" { try copy.execute("DELETE FROM main.sqlite_sequence") }
        try watch(copy) { () throws(SealedFileError) in
            try copy.execute(
                "INSERT INTO main.\(name) (\(columns)) SELECT \(columns) FROM \(Self.source).\(name) NOT INDEXED")
        }
    }
}

/// The columns by which a table's rows are read and written.
private struct RowidTable {
    /// The columns that aren't generated, as quoted SQL identifiers, after the name that refers to the rowid; without
    /// that name for a WITHOUT ROWID table.
    let storedColumns: [String]

    /// Reads the columns of a table.
    ///
    /// - Throws: `statement` for a table whose rowid can't be named, because its own columns have all three names.
    init(_ table: String, schema: String, in connection: RawConnection) throws(SealedFileError) {
        var (stored, all): ([String], [String]) = ([], [])
        try connection.query(
            "SELECT name, hidden FROM pragma_table_xinfo(?1, ?2) ORDER BY cid", bind: [.text(table), .text(schema)]
        ) { (row) throws(SealedFileError) in
            let name = row.text(0) ?? ""
            all.append(name)
            // 2 and 3 are generated columns.
            if row.integer(1) == 0 { stored.append(quoted(name)) }
        }
        guard try connection.hasRowid(table, schema: schema) else {
            storedColumns = stored
            return
        }
        guard let rowid = freeRowidName(besides: all) else {
            throw SealedFileError(
                .statement,
                "the rowid of the table \(quoted(table)) can't be read: its columns are named rowid, _rowid_ and oid")
        }
        storedColumns = [rowid] + stored
    }
}
