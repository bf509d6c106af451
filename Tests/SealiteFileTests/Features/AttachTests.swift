import CSQLite
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("attached databases")
struct AttachTests {
    @Test("sealed with two keys, and plain, in one statement and one transaction", arguments: ["DELETE", "WAL"])
    func three(mode: String) throws {
        let folder = try Folder()
        let first = try folder.create("a.db", mode: mode, seed: 1, rows: 10)
        let second = try folder.create("b.db", mode: mode, pageSize: 4096, seed: 2, rows: 20)
        let connection = try first.connect(flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try connection.execute(
            """
            ATTACH '\(second.uri)' AS b; ATTACH 'file:\(folder.file("plain.db"))?vfs=unix' AS c;
            BEGIN;
            CREATE TABLE c.notes AS SELECT * FROM main.notes UNION ALL SELECT * FROM b.notes;
            INSERT INTO main.notes(body) SELECT body FROM b.notes;
            DELETE FROM b.notes WHERE id > 5;
            COMMIT
            """)
        #expect(try connection.integer("SELECT count(*) FROM c.notes") == 30)
        #expect(try connection.integer("SELECT count(*) FROM main.notes") == 30)
        #expect(try connection.integer("SELECT count(*) FROM b.notes") == 5)
        for schema in ["main", "b", "c"] { #expect(try connection.text("PRAGMA \(schema).integrity_check") == "ok") }
        try connection.execute("BEGIN; DELETE FROM main.notes; DELETE FROM b.notes; DELETE FROM c.notes; ROLLBACK")
        #expect(try connection.integer("SELECT count(*) FROM main.notes m JOIN c.notes c USING (body)") > 0)
    }

    @Test("that aren't unlocked are refused with a reason")
    func notUnlocked() throws {
        let folder = try Folder()
        do { try folder.create("b.db", seed: 2) }
        let connection = try folder.create("a.db", seed: 1).connect()
        #expect(
            failureCode { try connection.execute("ATTACH '\(VFSChoice.standard.uri(folder.file("b.db")))' AS b") }
                != nil)
        #expect(SealedDatabase.failure(opening: folder.file("b.db"))?.code == .notUnlocked)
        try connection.addNotes(1)
    }

    @Test("lock() takes one file's keys and leaves the other's")
    func lockOne() throws {
        let folder = try Folder()
        let first = try folder.create("a.db", seed: 1)
        let second = try folder.create("b.db", seed: 2)
        let connection = try first.connect()
        try connection.execute("ATTACH '\(second.uri)' AS b; PRAGMA b.cache_size = 0")
        second.lock()
        #expect(failureCode { try connection.execute("INSERT INTO b.notes(body) VALUES ('x')") } != nil)
        #expect(unsafe SealedDatabase.failure(of: connection.handle, schema: "b")?.code == .locked)
        try connection.addNotes(1)
    }
}
