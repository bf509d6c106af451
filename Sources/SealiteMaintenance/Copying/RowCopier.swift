import CSQLite
import SealiteFile

/// Copies a database row by row to a plain file in which no bytes of a page are reserved.
///
/// VACUUM INTO can't make one from a sealed file: it takes the larger of what the source's pages reserve and what is asked for.
/// The order of the steps is that of SQLite's own VACUUM: tables, rows, indexes, then whatever has no pages. Whoever calls compares the
/// copy with its source; where a database can't be copied this way, a statement fails here, or that comparison does.
struct RowCopier {
    private let sourceURI: String
    /// The file to fill, empty so far.
    private let copy: RawConnection
    /// Called now and then while statements run.
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
        // The file has only its temporary name: a crash makes it worthless whatever its journal says.
        try copy.execute(
            """
            PRAGMA main.journal_mode=OFF; PRAGMA main.synchronous=OFF; PRAGMA main.locking_mode=EXCLUSIVE;
            PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON
            """)
    }

    /// Copies everything, in one transaction.
    func run(pageSize: Int, autoVacuum: Int64, encoding: String) throws(SealedFileError) {
        // Before the source is attached: both must agree on the encoding.
        try copy.execute(
            "PRAGMA encoding='\(encoding)'; PRAGMA page_size=\(pageSize); PRAGMA auto_vacuum=\(autoVacuum)")
        try copy.query("ATTACH ?1 AS \(Self.source)", bind: [.text(sourceURI)])
        // The names of SQLite's own tables, and the schema itself, may be written.
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

    /// The statements that made the things of one type that have pages, in their order; but the table of AUTOINCREMENT first,
    /// which otherwise the first such table makes, and which stays when that one is dropped.
    private func statements(of type: String) throws(SealedFileError) -> [String] {
        var found: [String] = []
        try copy.query(
            "SELECT sql FROM \(Self.source).sqlite_schema WHERE type = ?1 AND rootpage > 0 AND sql IS NOT NULL"
                + " ORDER BY name <> 'sqlite_sequence', rowid", bind: [.text(type)]
        ) { (row) throws(SealedFileError) in found.append(row.text(0) ?? "") }
        return found
    }

    /// The tables that have pages. That of AUTOINCREMENT comes last: the rows of the others write to it.
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

/// The statements that read and write a table's rows whole.
private struct RowidTable {
    /// The columns that hold what isn't computed, with the name by which the rowid is reached before them.
    let storedColumns: [String]

    /// - Throws: `statement` for a table whose rowid can't be named: columns of its own have all three names.
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
            throw SealedFileError(.statement, "the rowid of the table \(quoted(table)) has no name")
        }
        storedColumns = [rowid] + stored
    }
}
