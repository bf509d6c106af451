import CSQLite
import Glibc
import SealiteCrypto
import Testing

@testable import SealiteFile

@Suite("smoke")
struct Smoke {
    @Test("a sealed database keeps its rows", arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL", "MEMORY"])
    func smoke(mode: String) throws {
        let path = "/tmp/smoke-\(mode)-\(getpid()).db"
        for s in ["", "-wal", "-journal", "-shm"] { unsafe unlink(path + s) }
        let key = try SecretBytes.random(byteCount: 32)
        let db = try SealedDatabase.create(path, slot: .rawKey(key.duplicate()))
        do {
            let c = try db.connect()
            _ = try c.text("PRAGMA journal_mode=\(mode)")
            try c.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); CREATE INDEX i ON t(b)")
            try c.execute(
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<20000) INSERT INTO t SELECT x, 'marker-row-' || x || hex(randomblob(40)) FROM n"
            )
            try c.execute(
                "PRAGMA cache_size=5; BEGIN; UPDATE t SET b = b || 'x' WHERE a % 3 = 0; SAVEPOINT s; DELETE FROM t WHERE a % 7 = 0; ROLLBACK TO s; COMMIT"
            )
            do { try c.execute("BEGIN; DELETE FROM t; ROLLBACK") }
            #expect(try c.text("PRAGMA integrity_check") == "ok")
            try c.execute("VACUUM")
            #expect(try c.text("PRAGMA integrity_check") == "ok")
            try c.execute("VACUUM INTO '\(db.uri(forCopyAt: path + "-copy"))'")
        }
        db.lock()
        let again = try SealedDatabase.open(path, key: .rawKey(key.duplicate()))
        let c = try again.connect()
        #expect(try c.integer("SELECT count(*) FROM t") == 20000)
        #expect(try c.text("PRAGMA integrity_check") == "ok")
        let copy = try SealedDatabase.open(path + "-copy", key: .rawKey(key.duplicate()))
        let d = try copy.connect()
        #expect(try d.integer("SELECT count(*) FROM t") == 20000)
        for s in ["", "-wal", "-journal", "-shm", "-copy"] { unsafe unlink(path + s) }
    }
}
