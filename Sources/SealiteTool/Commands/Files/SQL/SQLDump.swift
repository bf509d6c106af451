import SealiteFile
import SealiteJSON

/// Writes the SQL statements that recreate the content of a database, or of one table.
struct SQLDump {
    private let connection: RawConnection
    private let table: String

    /// Creates a dump of one table, or of all if the name is empty.
    init(_ connection: RawConnection, only table: String) { (self.connection, self.table) = (connection, table) }

    private struct Entry {
        let type: String
        let name: String
        let sql: String
    }

    /// Writes the statements, for one consistent state of the database, to standard output.
    func write() throws {
        let isOwnTransaction = !connection.isInTransaction
        if isOwnTransaction { try connection.execute("BEGIN") }
        defer { if isOwnTransaction { try? connection.execute("COMMIT") } }
        let entries = try entries()
        guard !entries.isEmpty || table.isEmpty else { throw ToolError.noTable(table) }
        if let virtual = entries.first(where: { $0.sql.uppercased().hasPrefix("CREATE VIRTUAL") }) {
            throw ToolError(
                .failed, code: "virtual-table", "\"\(virtual.name)\" is a virtual table, which .dump doesn't write",
                hint: "name a table, or copy the whole database with 'sealite backup' or 'sealite decrypt'")
        }
        Console.print("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;")
        for entry in entries where entry.type == "table" {
            Console.print(entry.sql + ";")
            try writeRows(of: entry.name)
        }
        if table.isEmpty { try writeSequences() }
        for entry in entries where entry.type != "table" { Console.print(entry.sql + ";") }
        Console.print("COMMIT;")
        try Console.requireWritten()
    }

    /// Returns the entries of the schema: tables and indexes, then views, then triggers, each in the order of SQLite's
    /// schema table.
    private func entries() throws(SealedFileError) -> [Entry] {
        var entries: [Entry] = []
        try connection.query(
            "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                + " AND (?1 = '' OR tbl_name = ?1 COLLATE NOCASE) ORDER BY type = 'trigger', type = 'view', rowid",
            bind: [.text(table)]
        ) { (row) throws(SealedFileError) in
            entries.append(Entry(type: row.text(0) ?? "", name: row.text(1) ?? "", sql: row.text(2) ?? ""))
        }
        return entries
    }

    private func writeRows(of name: String) throws {
        // Generated columns can't be inserted.
        let columns = try connection.texts(
            "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0", bind: [.text(name)]
        ).map { $0.quoted("\"") }
        let target = "INSERT INTO \(name.quoted("\""))(\(columns.joined(separator: ","))) VALUES("
        let values = columns.map(Self.literal).joined(separator: "||','||")
        try connection.query("SELECT \(values) FROM \(name.quoted("\""))") { (row) throws(SealedFileError) in
            Console.print(target + (row.text(0) ?? "") + ");")
        }
    }

    /// Returns an SQL expression whose result is the SQL literal of a column's value. quote() isn't used for a text
    /// that contains NUL, because it would truncate the text there.
    private static func literal(_ column: String) -> String {
        "CASE WHEN typeof(\(column)) = 'text' AND instr(\(column), char(0)) > 0"
            + " THEN 'CAST(x''' || hex(\(column)) || ''' AS TEXT)' ELSE quote(\(column)) END"
    }

    /// Writes the counters of AUTOINCREMENT. Their table, sqlite_sequence, is created by SQLite itself, so only its
    /// rows are written.
    private func writeSequences() throws {
        guard try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'") > 0 else {
            return
        }
        Console.print("DELETE FROM sqlite_sequence;")
        try connection.query("SELECT quote(name) || ',' || quote(seq) FROM sqlite_sequence") {
            (row) throws(SealedFileError) in
            Console.print("INSERT INTO sqlite_sequence VALUES(\(row.text(0) ?? ""));")
        }
    }
}

extension ToolError {
    /// Returns the error for a table that doesn't exist.
    static func noTable(_ name: String) -> ToolError {
        ToolError(
            .failed, code: "no-such-table", "there is no table \"\(name)\"", hint: ".tables lists those there are")
    }
}
