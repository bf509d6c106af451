import GRDB
import SealiteGRDB
import SealiteMaintenance
import Testing

@testable import SealiteFile

@Suite("indexes on the functions")
struct FunctionIndexTests {
    private let stage: Stage

    init() throws {
        stage = try Stage()
        try stage.connection.execute(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB, CHECK (body_compare('mongo', body, body) = 0));
            CREATE INDEX values_ ON t (body_value(body, 'x'));
            CREATE INDEX keys ON t (body_key('queries', body, 'x') DESC) WHERE body_element(body, 'x') IS NOT NULL;
            CREATE UNIQUE INDEX mongo ON t (body_key('mongo', body, 'x'), id);
            CREATE TABLE log(key BLOB);
            CREATE TRIGGER logs AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (body_key('mongo', new.body, 'x')); END;
            CREATE VIEW ordered AS SELECT id FROM t ORDER BY body_key('queries', body, 'x'), id;
            """)
        for body in sampleBodies { try stage.connection.execute("INSERT INTO t(body) VALUES (\(jsonb(body)))") }
    }

    @Test("indexes on the functions are kept and checked on connections that trust no schema")
    func untrusted() throws {
        let connection = try stage.database.connect()
        try connection.execute("PRAGMA trusted_schema = OFF")
        try connection.execute(
            "INSERT INTO t(body) VALUES (\(jsonb(#"{"x":[2]}"#))); UPDATE t SET body = x'0C' WHERE id = 3")
        try connection.execute("REINDEX; ANALYZE; DELETE FROM t WHERE id = 5")
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        try connection.execute(
            "CREATE TABLE u(body, type TEXT AS (body_type(body)) STORED); INSERT INTO u VALUES (x'01')")
        #expect(try connection.text("SELECT type FROM u") == "boolean")
        #expect(try connection.text("SELECT hex(key) FROM log") == "10")
        #expect(
            try connection.text("SELECT group_concat(id) FROM ordered") == "1,3,2,4,6,7,8,9,10,11,12,13,14,17,15,16")
    }

    @Test("queries use them")
    func used() throws {
        for (condition, index) in [
            ("body_value(body, 'x') > 3", "values_"),
            ("body_key('queries', body, 'x') > x'50' AND body_element(body, 'x') IS NOT NULL", "keys"),
            ("body_key('mongo', body, 'x') = x'10'", "mongo"),
        ] {
            var plan = ""
            try stage.connection.query("EXPLAIN QUERY PLAN SELECT id FROM t WHERE \(condition)") { row in
                plan += row.text(3) ?? ""
            }
            #expect(plan.contains("INDEX \(index) "), "\(plan)")
        }
    }

    @Test("verification checks them, and finds one that is stale")
    func verified() throws {
        #expect(try stage.database.verify().isSound)
        // The body is changed where SQLite doesn't see that an index is of it.
        try stage.connection.execute(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '''x''', '''y''') WHERE name = 'values_'"
        )
        let report = try stage.database.verify()
        #expect(!report.isSound)
    }

    @Test("copies in both directions, backups and salvage have indexes on the functions, which work there")
    func copies() throws {
        _ = try stage.database.decrypt(to: stage.folder + "/plain.db")
        let again = try SealedDatabase.encrypt(
            plain: stage.folder + "/plain.db", to: stage.folder + "/again.db", slot: .rawKey(Stage.key)
        ).database
        _ = try stage.database.backup(to: stage.folder + "/backup.db")
        let report = try stage.database.salvage(to: stage.folder + "/salvaged.db")
        #expect(report.isComplete, "\(report)")
        let names = ["backup.db", "salvaged.db"]
        let all = try [again] + names.map { try SealedDatabase.open(stage.folder + "/" + $0, key: .rawKey(Stage.key)) }
        for database in all {
            #expect(try database.verify().isSound, "\(database.path)")
            let connection = try database.connect()
            try connection.execute(
                "INSERT INTO t(body) VALUES (x'0C'); UPDATE t SET body = x'0C' WHERE id = 2; REINDEX")
            #expect(try connection.text("PRAGMA integrity_check") == "ok", "\(database.path)")
            #expect(
                try connection.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'index'") == 3,
                "\(database.path)")
        }
    }

    @Test("GRDB's pool writes rows that they list")
    func pool() throws {
        let pool = try stage.database.makePool()
        try pool.write { try $0.execute(sql: "INSERT INTO t(body) VALUES (\(jsonb(#"{"x":"new"}"#)))") }
        let found = try pool.read { connection in
            try Int.fetchOne(
                connection, sql: "SELECT count(*) FROM t INDEXED BY values_ WHERE body_value(body, 'x') = 'new'")
        }
        #expect(found == 1)
        #expect(try pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    }
}
