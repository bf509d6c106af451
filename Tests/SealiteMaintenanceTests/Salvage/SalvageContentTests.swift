import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

/// A kind of content that a salvage has to bring back as it was.
struct SalvagedKind: CustomTestStringConvertible {
    let name: String
    let setup: String
    /// The queries whose rows are compared.
    let queries: [String]
    var settings = ""
    var autoVacuum = AutoVacuum.none

    var testDescription: String { name }

    private static let numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 600)"

    static let all = [
        SalvagedKind(
            name: "UTF-16le",
            setup:
                "CREATE TABLE t(a TEXT PRIMARY KEY, b); \(numbers) INSERT INTO t SELECT 'ключ ' || x, '𝄞 ' || x || hex(zeroblob(x % 200)) FROM n",
            queries: ["SELECT rowid, * FROM t", "PRAGMA encoding"], settings: "PRAGMA encoding='UTF-16le'"),
        SalvagedKind(
            name: "UTF-16be",
            setup:
                "CREATE TABLE t(a TEXT, b); \(numbers) INSERT INTO t SELECT 'Grüße ' || x, hex(zeroblob(x * 3)) FROM n",
            queries: ["SELECT rowid, * FROM t", "PRAGMA encoding"], settings: "PRAGMA encoding='UTF-16be'"),
        SalvagedKind(
            name: "auto-vacuum",
            setup: """
                CREATE TABLE gone(a); \(numbers) INSERT INTO gone SELECT hex(zeroblob(300)) FROM n;
                CREATE TABLE t(a, b); \(numbers) INSERT INTO t SELECT x, hex(zeroblob(x * 2)) FROM n;
                DROP TABLE gone
                """, queries: ["SELECT rowid, * FROM t", "PRAGMA auto_vacuum"], autoVacuum: .full),
        SalvagedKind(
            name: "incremental vacuum",
            setup: """
                CREATE TABLE t(a, b); \(numbers) INSERT INTO t SELECT x, hex(zeroblob(x * 2)) FROM n; DELETE FROM t WHERE a % 3 = 0
                """, queries: ["SELECT rowid, * FROM t", "PRAGMA auto_vacuum"], autoVacuum: .incremental),
        SalvagedKind(
            name: "generated columns",
            setup: """
                CREATE TABLE t(a INTEGER PRIMARY KEY, v AS (b * 2), b, s AS (b || '!') STORED, c);
                CREATE INDEX tv ON t(v); \(numbers) INSERT INTO t(a, b, c) SELECT x, x * 7, hex(zeroblob(x % 300)) FROM n
                """, queries: ["SELECT a, v, b, s, c FROM t"]),
        SalvagedKind(
            name: "WITHOUT ROWID",
            setup: """
                CREATE TABLE t(b, k2 TEXT, k1 INTEGER, c DEFAULT 5, PRIMARY KEY(k1 DESC, k2)) WITHOUT ROWID;
                CREATE INDEX tb ON t(b);
                \(numbers) INSERT INTO t(b, k2, k1) SELECT hex(zeroblob(x % 900)), 'k' || x, x % 17 FROM n;
                ALTER TABLE t ADD COLUMN d DEFAULT 'late'
                """, queries: ["SELECT * FROM t ORDER BY k1, k2"]),
        SalvagedKind(
            name: "sqlite_sequence and statistics",
            setup: """
                CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b); CREATE INDEX tb ON t(b);
                \(numbers) INSERT INTO t(b) SELECT x % 9 FROM n; DELETE FROM t WHERE a > 500; ANALYZE
                """,
            queries: ["SELECT * FROM t", "SELECT * FROM sqlite_sequence", "SELECT * FROM sqlite_stat1 ORDER BY idx"]),
        SalvagedKind(
            name: "full-text search",
            setup: """
                CREATE VIRTUAL TABLE f USING fts5(title, body);
                \(numbers) INSERT INTO f SELECT 'note ' || x, 'the quick brown fox number ' || x FROM n
                """,
            queries: [
                "SELECT rowid, * FROM f", "SELECT rowid FROM f WHERE f MATCH 'fox AND 77'", "SELECT * FROM f_docsize",
                "INSERT INTO f(f) VALUES('integrity-check')",
            ]),
        SalvagedKind(
            name: "every type, odd names, views and triggers",
            setup: """
                CREATE TABLE "odd ""name"" ü"("a b" ANY, 'select' REAL, n NUMERIC, CHECK(n > 0));
                INSERT INTO "odd ""name"" ü" VALUES (NULL, 1.5, 9223372036854775807), (x'00ff', -0.0, 1e300), ('', 2, 3),
                  (x'', 7, 0.1);
                CREATE TABLE log(x); CREATE VIEW v AS SELECT n FROM "odd ""name"" ü";
                CREATE TRIGGER tr AFTER INSERT ON log BEGIN DELETE FROM log WHERE x = 'never'; END;
                PRAGMA user_version=77; PRAGMA application_id=1234
                """,
            queries: [
                #"SELECT rowid, typeof("a b"), "a b", "select", n, typeof(n) FROM "odd ""name"" ü""#, "SELECT * FROM v",
                "PRAGMA user_version", "PRAGMA application_id",
            ]),
    ]
}

@Suite("what salvage brings back")
struct SalvageContentTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func create(_ kind: SalvagedKind) throws -> RawConnection {
        let options = CreationOptions(pageSize: 1024, autoVacuum: kind.autoVacuum)
        let database = try SealedDatabase.create(folder.file("a.db"), slot: .rawKey(rawKey()), options: options)
        let connection = try database.connect()
        try connection.execute(kind.settings)
        try connection.execute(kind.setup)
        return connection
    }

    @Test("content of every kind comes back as it was", arguments: SalvagedKind.all)
    func content(kind: SalvagedKind) throws {
        let connection = try create(kind)
        let report = try folder.open().salvage(to: folder.file("new.db"))
        #expect(report.isComplete, "\(report)")
        let new = try folder.open("new.db")
        let copy = try new.connect()
        for query in kind.queries {
            let expected = try connection.dump(query)
            #expect(try copy.dump(query) == expected, "\(query)")
        }
        let schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
        let expected = try connection.dump(schema)
        #expect(try copy.dump(schema) == expected)
        #expect(try new.verify().isSound)
    }

    @Test("a lost leaf costs its rows only, whatever the kind", arguments: SalvagedKind.all.prefix(6))
    func lostLeaf(kind: SalvagedKind) throws {
        var leaf: (page: Int64, cells: Int64, overflow: Int64) = (0, 0, 0)
        var rows: Int64 = 0
        do {
            let connection = try create(kind)
            rows = try connection.integer("SELECT count(*) FROM t")
            try connection.query("SELECT pageno, ncell FROM dbstat WHERE name='t' AND pagetype='leaf' LIMIT 1 OFFSET 2")
            {
                (row) throws(SealedFileError) in (leaf.page, leaf.cells) = (row.integer(0), row.integer(1))
            }
        }
        #expect(leaf.page > 1 && leaf.cells > 0)
        try RawFile.flip(folder.file("a.db"), at: HeaderLayout.regionByteCount + Int(leaf.page - 1) * 1024 + 200)
        let report = try folder.open().salvage(to: folder.file("new.db"))
        #expect(report.lostPages == [UInt32(leaf.page)...UInt32(leaf.page)])
        let new = try folder.open("new.db").connect()
        #expect(try new.integer("SELECT count(*) FROM t") == rows - leaf.cells)
        #expect(report.tables.first { $0.name == "t" }?.gaps.map(\.page) == [UInt32(leaf.page)])
        #expect(report.lostAndFoundRowCount == 0)
    }

    @Test(
        "pages of a transaction that a crash ended come from its journal", arguments: ["DELETE", "TRUNCATE", "PERSIST"])
    func hotJournal(mode: String) throws {
        let crash = try Crash(mode: mode, rows: 300)
        let before = try crash.folder.contents()
        let report = try crash.folder.open().salvage(to: folder.file("new.db"))
        #expect(report.isComplete && report.journalPageCount > 10, "\(report)")
        #expect(try folder.open("new.db").connect().fingerprint() == crash.before)
        #expect(try crash.folder.contents() == before)
    }

    @Test("of a damaged journal the rest counts, and the report says so")
    func damagedJournal() throws {
        let crash = try Crash(mode: "DELETE", rows: 300)
        try RawFile.flip(
            crash.folder.file("a.db-journal"), at: Int(JournalLayout.offset(ofUnit: 7)) + 100)
        let report = try crash.folder.open().salvage(to: folder.file("new.db"))
        #expect(!report.isComplete && report.lostJournalUnitCount == 1 && report.journalPageCount > 10, "\(report)")
        #expect(
            try folder.open("new.db").connect().integer("SELECT count(*) FROM notes WHERE body NOT LIKE 'changed%'")
                > 200)
    }

    @Test("a journal of a transaction that is going on isn't taken")
    func journalInUse() throws {
        let database = try folder.create(mode: "DELETE", rows: 100)
        let connection = try database.connect()
        try connection.execute("PRAGMA cache_size=3; BEGIN; UPDATE notes SET body = 'x' WHERE id = 1")
        let report = try folder.open().salvage(to: folder.file("new.db"))
        #expect(report.journalPageCount == 0)
        #expect(try folder.open("new.db").connect().integer("SELECT count(*) FROM notes") == 100)
    }

    @Test("every golden file is salvaged whole", arguments: (try? Golden.notes()) ?? [])
    func golden(note: GoldenNote) throws {
        for file in note.files {
            try RawFile.write(try Golden.bytes(Golden.folder + "/" + file.name), to: folder.file(file.name))
        }
        let before = try folder.contents()
        let report = try Golden.open(folder.file(note.name), with: note.keys[0]).salvage(to: folder.file("new.db"))
        #expect(report.isComplete, "\(report)")
        let new = try Golden.open(folder.file("new.db"), with: note.keys[0])
        #expect(try new.connect().integer("SELECT count(*) FROM notes") == note.noteCount)
        for (name, bytes) in before { #expect(try RawFile.read(folder.file(name)) == bytes, "\(name)") }
    }
}

extension GoldenNote: CustomTestStringConvertible {
    var testDescription: String { name }
}
