import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("what SQLite can do, on a sealed file")
struct FeatureTests {
    private static let modes = ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF", "WAL"]

    @Test("every page size in every journal mode", arguments: [1024, 2048, 4096, 8192, 16384, 32768, 65536], modes)
    func pageSizes(pageSize: Int, mode: String) throws {
        let folder = try Folder()
        let expected: String
        do {
            let connection = try folder.create(mode: mode, pageSize: pageSize, rows: 60).connect()
            _ = try connection.text("PRAGMA journal_mode = \(mode)")
            try connection.execute("INSERT INTO notes(body) VALUES (hex(randomblob(\(pageSize * 2))))")
            if mode != "OFF" { try connection.execute("BEGIN; DELETE FROM notes; ROLLBACK") }
            try connection.execute(
                "BEGIN; UPDATE notes SET body = body || 'x'; COMMIT; DELETE FROM notes WHERE id < 9; VACUUM")
            expected = try connection.fingerprint()
        }
        let connection = try folder.open().connect()
        #expect(try connection.fingerprint() == expected)
        #expect(try connection.integer("PRAGMA page_size") == Int64(pageSize))
        try connection.checkIntegrity()
    }

    @Test(
        "a sealed file works in every auto_vacuum mode", arguments: [AutoVacuum.none, .full, .incremental],
        ["DELETE", "WAL"])
    func autoVacuum(setting: AutoVacuum, mode: String) throws {
        let folder = try Folder()
        let connection = try folder.create(mode: mode, rows: 500, autoVacuum: setting).connect()
        let full = try connection.integer("PRAGMA page_count")
        try connection.execute("DELETE FROM notes WHERE id > 50; PRAGMA incremental_vacuum")
        let left = try connection.integer("PRAGMA page_count")
        #expect(setting == .none ? left == full : left < full)
        try connection.checkIntegrity()
        #expect(try folder.open().connect().fingerprint() == connection.fingerprint())
    }

    @Test("full-text search and R-Tree", arguments: ["DELETE", "WAL"])
    func virtualTables(mode: String) throws {
        let folder = try Folder()
        do {
            let connection = try folder.create(mode: mode, rows: 0).connect()
            try connection.execute(
                """
                CREATE VIRTUAL TABLE words USING fts5(body);
                INSERT INTO words WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300)
                    SELECT 'word' || x || ' common' FROM n;
                INSERT INTO words(words) VALUES ('optimize');
                CREATE VIRTUAL TABLE places USING rtree(id, x0, x1, y0, y1);
                INSERT INTO places WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300)
                    SELECT x, x, x + 1, x, x + 1 FROM n
                """)
        }
        let connection = try folder.open().connect()
        #expect(try connection.integer("SELECT count(*) FROM words WHERE words MATCH 'word117'") == 1)
        #expect(try connection.integer("SELECT count(*) FROM words WHERE words MATCH 'common'") == 300)
        #expect(try connection.integer("SELECT count(*) FROM places WHERE x0 >= 10 AND x1 <= 20") == 10)
        try connection.execute("INSERT INTO words(words) VALUES ('integrity-check')")
        try connection.checkIntegrity()
    }

    @Test("VACUUM INTO makes a sealed copy with the same slots, and a plain one with a plain VFS")
    func vacuumInto() throws {
        let folder = try Folder()
        let database = try folder.create(mode: "WAL", rows: 200)
        let connection = try database.connect()
        try connection.execute("VACUUM INTO '\(database.uri(forCopyAt: folder.file("copy.db")))'")
        let copy = try folder.open("copy.db")
        #expect(copy.databaseID != database.databaseID)
        #expect(try copy.slots().map(\.id) == database.slots().map(\.id))
        #expect(try copy.connect().fingerprint() == connection.fingerprint())
        try connection.execute("VACUUM INTO 'file:\(folder.file("plain.db"))?vfs=unix'")
        let plain = try RawConnection(uri: "file:\(folder.file("plain.db"))", path: "plain.db")
        #expect(try plain.fingerprint() == connection.fingerprint())
    }

    @Test("a path that begins with two slashes is the path with one")
    func twoSlashes() throws {
        let folder = try Folder()
        let path = "/" + folder.file("slashes.db")
        #expect(path.hasPrefix("//"))
        try folder.create("slashes.db", rows: 3)
        let database = try SealedDatabase.open(path, key: .rawKey(rawKey()))
        #expect(try database.connect().integer("SELECT count(*) FROM notes") == 3)
    }

    @Test(
        "temporary tables, sorts, statement journals and big transactions with a cache of ten pages", arguments: modes)
    func spills(mode: String) throws {
        let folder = try Folder()
        let connection = try folder.create(mode: mode == "OFF" ? "DELETE" : mode, rows: 800).connect()
        let before = try connection.fingerprint()
        try connection.execute(
            """
            PRAGMA cache_size = 10; PRAGMA temp_store = FILE; PRAGMA cache_spill = 10;
            CREATE TEMP TABLE sorted AS SELECT * FROM notes ORDER BY body DESC;
            CREATE INDEX temp.by_body ON sorted(body);
            BEGIN; UPDATE notes SET body = 'a' || body; SAVEPOINT s; DELETE FROM notes WHERE id % 2 = 0;
            INSERT INTO notes(body) SELECT body FROM sorted; ROLLBACK TO s; RELEASE s; ROLLBACK
            """)
        #expect(try connection.fingerprint() == before)
        // A statement that fails in its midst is undone alone.
        try connection.execute(
            "CREATE TABLE once(x UNIQUE); INSERT INTO once VALUES (700); BEGIN; INSERT INTO once VALUES (0)")
        #expect(failureCode { try connection.execute("INSERT INTO once SELECT id FROM notes") } == .statement)
        try connection.execute("COMMIT")
        #expect(try connection.integer("SELECT count(*) FROM once") == 2)
        try connection.checkIntegrity()
    }

    @Test("eight threads, a connection each, write and read", arguments: ["WAL", "DELETE"])
    func threads(mode: String) async throws {
        let folder = try Folder()
        let database = try folder.create(mode: mode, rows: 0)
        try database.connect().execute("CREATE TABLE log(thread INTEGER, number INTEGER)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    let connection = try database.connect(busyTimeout: .seconds(60))
                    for number in 0..<25 {
                        try connection.execute("INSERT INTO log VALUES (\(thread), \(number))")
                        let seen = try connection.integer("SELECT count(*) FROM log WHERE thread = \(thread)")
                        #expect(seen == Int64(number + 1))
                    }
                }
            }
            try await group.waitForAll()
        }
        let connection = try database.connect()
        #expect(try connection.integer("SELECT count(*) FROM log") == 200)
        try connection.checkIntegrity()
    }
}
