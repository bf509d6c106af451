import CSQLite
import SealiteFile

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
        unsafe sealite_configure(copy.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
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
        var found: [String] = []
        try copy.query(
            "SELECT sql FROM \(Self.source).sqlite_schema WHERE type = ?1 AND rootpage > 0 AND sql IS NOT NULL"
                + " ORDER BY name <> 'sqlite_sequence', rowid", bind: [.text(type)]
        ) { (row) throws(SealedFileError) in found.append(row.text(0) ?? "") }
        return found
    }

    /// Returns the names of the tables that have pages, `sqlite_sequence` last: SQLite writes to it when rows are
    /// inserted into AUTOINCREMENT tables.
    private func tables() throws(SealedFileError) -> [String] {
        var names: [String] = []
        try copy.query(
            "SELECT name FROM \(Self.source).sqlite_schema WHERE type = 'table' AND rootpage > 0"
                + " ORDER BY name = 'sqlite_sequence', rowid"
        ) { (row) throws(SealedFileError) in names.append(row.text(0) ?? "") }
        return names
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
        var (stored, all): ([String], Set<String>) = ([], [])
        try connection.query(
            "SELECT name, hidden FROM pragma_table_xinfo(?1, ?2) ORDER BY cid", bind: [.text(table), .text(schema)]
        ) { (row) throws(SealedFileError) in
            let name = row.text(0) ?? ""
            all.insert(name.lowercased())
            // 2 and 3 are generated columns.
            if row.integer(1) == 0 { stored.append(quoted(name)) }
        }
        var hasRowid = true
        try connection.query(
            "SELECT wr FROM pragma_table_list WHERE schema = ?2 AND name = ?1", bind: [.text(table), .text(schema)]
        ) { (row) throws(SealedFileError) in hasRowid = row.integer(0) == 0 }
        guard hasRowid else {
            storedColumns = stored
            return
        }
        guard let rowid = ["rowid", "_rowid_", "oid"].first(where: { !all.contains($0) }) else {
            throw SealedFileError(
                .statement,
                "the rowid of the table \(quoted(table)) can't be read: its columns are named rowid, _rowid_ and oid")
        }
        storedColumns = [rowid] + stored
    }
}
