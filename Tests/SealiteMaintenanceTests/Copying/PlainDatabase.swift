import CSQLite
import SealiteCrypto
import SealiteFileTestSupport

@testable import SealiteFile
@testable import SealiteMaintenance

/// A plain database of a test, as any program would have made it.
enum PlainDatabase {
    static func connect(_ path: String, flags: CInt = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) throws
        -> RawConnection
    {
        try RawConnection(uri: VFSChoice(name: "unix", base: "unix").uri(path), path: path, flags: flags)
    }

    /// Makes a database by SQL. `settings` come first, where pragmas that lay out the file must stand.
    static func make(_ path: String, settings: String = "", _ sql: String) throws {
        let connection = try connect(path)
        try connection.execute(settings)
        try connection.execute(sql)
    }

    /// The content of `everything`, without the table whose rowid has no name left.
    static let everythingNamed = everything.split(separator: "\n").filter { !$0.hasPrefix("CREATE TABLE hidden") }
        .joined(separator: "\n")

    /// Something of everything: virtual tables, views, triggers, generated columns, odd values, odd rowids.
    static let everything = #"""
        CREATE TABLE plain(a, b);
        INSERT INTO plain(rowid, a, b) VALUES (7, 'seven', 7.5), (-3, 'minus', x'00ff00'), (900000000000, NULL, '');
        CREATE TABLE indexed(a TEXT, b); CREATE INDEX by_a ON indexed(a) WHERE b IS NOT NULL;
        INSERT INTO indexed(rowid, a, b) VALUES (42, 'x', 1), (5, 'y', 2), (11, 'z', NULL);
        DELETE FROM indexed WHERE rowid = 5;
        CREATE TABLE keyed(id INTEGER PRIMARY KEY AUTOINCREMENT, rowid TEXT, _rowid_ BLOB);
        INSERT INTO keyed VALUES (100, 'r', zeroblob(5000)), (200, char(0) || 'nul' || char(0), x'');
        DELETE FROM keyed WHERE id = 200;
        CREATE TABLE hidden(rowid, _rowid_, oid); INSERT INTO hidden VALUES (1, 2, 3), (4, 5, 6);
        CREATE TABLE pairs(k TEXT, v INT, PRIMARY KEY(k, v)) WITHOUT ROWID;
        INSERT INTO pairs VALUES ('b', 2), ('a', 9), ('a', 1);
        CREATE TABLE "odd "" name"(x, y GENERATED ALWAYS AS (x * 2) STORED, z AS (x || '!') VIRTUAL);
        INSERT INTO "odd "" name"(x) VALUES (1), (2.25), ('t');
        CREATE VIRTUAL TABLE words USING fts5(body, tokenize='porter');
        INSERT INTO words(rowid, body) VALUES (3, 'sealed pages everywhere'), (9, 'keys and slots');
        CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1, y0, y1);
        INSERT INTO boxes VALUES (17, 0, 1, 2, 3), (4, -1, 1, -1, 1);
        CREATE VIEW v AS SELECT a, b FROM plain WHERE a IS NOT NULL;
        CREATE TABLE log(t); CREATE TRIGGER noted AFTER INSERT ON plain BEGIN INSERT INTO log VALUES (new.a); END;
        INSERT INTO plain(a) VALUES ('fires once');
        ANALYZE;
        PRAGMA user_version = 77; PRAGMA application_id = 1397050700;
        """#

    static let key: [UInt8] = Array(repeating: 0x5A, count: 32)

    static var slot: NewSlotSecret { .rawKey(SecretBytes(key)) }
}

/// The content that must be equal in two databases, as text: every row of every table with its rowid, schema, settings.
enum Content {
    static let settings = ["user_version", "application_id", "encoding", "auto_vacuum", "journal_mode"]

    static func of(_ connection: RawConnection) throws -> [String] {
        var lines: [String] = []
        for setting in settings { lines.append("\(setting)=\(try connection.text("PRAGMA \(setting)") ?? "")") }
        lines += try Content.lines(
            of: "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name", connection)
        var tables: [(name: String, hasRowid: Bool)] = []
        try connection.query(
            "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type <> 'view' AND name <> 'sqlite_schema'"
        ) { (row) throws(SealedFileError) in tables.append((row.text(0) ?? "", row.integer(1) == 0)) }
        for table in tables.sorted(by: { $0.name < $1.name }) {
            let name = quoted(table.name)
            let rows = table.hasRowid ? "SELECT rowid, * FROM \(name)" : "SELECT * FROM \(name)"
            lines.append(name)
            do {
                lines += try Content.lines(of: rows, connection).sorted()
            } catch let error as SealedFileError where error.code == .statement {
                // A virtual table of a module that isn't there, which is unreadable in a copy too.
                lines.append("\(error.code)")
            }
        }
        return lines
    }

    private static func lines(of sql: String, _ connection: RawConnection) throws -> [String] {
        var lines: [String] = []
        try connection.query(sql) { (row) throws(SealedFileError) in
            lines.append(
                (0..<row.columnCount).map { "\(row.type($0)):\(row.blob($0).hex)" }.joined(separator: " "))
        }
        return lines
    }
}
