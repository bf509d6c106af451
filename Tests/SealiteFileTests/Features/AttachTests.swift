import CSQLite
import Foundation
import SealiteFileTestSupport
import SealiteMaintenance
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

    @Test("attached databases that aren't unlocked are refused with a reason")
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

    @Test("two copies of one database whose keys were rotated apart keep their own keys, without handles in the URIs")
    func divergedCopies() throws {
        let folder = try Folder()
        do {
            let original = try folder.create("a.db", mode: "WAL", seed: 1, rows: 10)
            _ = try original.connect().integer("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try FileManager.default.copyItem(atPath: folder.file("a.db"), toPath: folder.file("b.db"))
        for name in ["a.db", "b.db"] { _ = try KeyRotation(of: folder.open(name, seed: 1)).run() }
        do {
            let (first, second) = (try folder.open("a.db", seed: 1), try folder.open("b.db", seed: 1))
            let connection = try RawConnection(
                uri: VFSChoice.standard.uri(first.path), path: first.path, flags: SQLITE_OPEN_READWRITE)
            #expect(try connection.integer("SELECT count(*) FROM notes") == 10)
            try connection.execute("ATTACH '\(VFSChoice.standard.uri(second.path))' AS b")
            try connection.execute("INSERT INTO b.notes(body) VALUES ('of b')")
            try connection.execute("INSERT INTO main.notes(body) VALUES ('of a')")
            withExtendedLifetime((first, second)) {}
        }
        for name in ["a.db", "b.db"] {
            let database = try folder.open(name, seed: 1)
            #expect(try database.connect().integer("SELECT count(*) FROM notes") == 11)
            #expect(try database.verify().isSound)
        }
    }

    @Test("a header of the known generation with other content is that of another copy, and is refused")
    func otherCopy() throws {
        let folder = try Folder()
        let first = try folder.create("a.db", seed: 1, rows: 10)
        try FileManager.default.copyItem(atPath: folder.file("a.db"), toPath: folder.file("b.db"))
        let second = try folder.open("b.db", seed: 1)
        try first.addSlot(.rawKey(rawKey(2)), label: "of a")
        try second.addSlot(.rawKey(rawKey(3)), label: "of b")
        let header = try BaseHandle.readHeader(second.path, vfs: VFSChoice.standard.base)
        #expect(failureCode { try first.ring.follow(header) } == .fileReplaced)
        #expect(try first.slots().map(\.label) == ["", "of a"])
    }

    @Test("VACUUM INTO doesn't choose between two unlocked copies of one database")
    func copyOfWhichCopy() throws {
        let folder = try Folder()
        let first = try folder.create("a.db", seed: 1, rows: 10)
        try FileManager.default.copyItem(atPath: folder.file("a.db"), toPath: folder.file("b.db"))
        let connection = try first.connect(flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        func copy(_ name: String) throws {
            try connection.execute("VACUUM INTO '\(first.uri(forCopyAt: folder.file(name)))'")
        }
        do {
            let second = try folder.open("b.db", seed: 1)
            #expect(failureCode { try copy("one.db") } != nil)
            withExtendedLifetime(second) {}
        }
        try copy("two.db")
        #expect(try folder.open("two.db", seed: 1).verify().isSound)
    }

    @Test("a copy made by VACUUM INTO has the slots that the database has now, not those of when it was opened")
    func slotsOfCopy() throws {
        let folder = try Folder()
        let database = try folder.create("a.db", seed: 1, rows: 10)
        try database.addSlot(.rawKey(rawKey(2)), label: "removed")
        let connection = try database.connect(flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        #expect(try connection.integer("SELECT count(*) FROM notes") == 10)
        try folder.open("a.db", seed: 1).removeSlot(2)
        try connection.execute("VACUUM INTO '\(database.uri(forCopyAt: folder.file("copy.db")))'")
        #expect(failureCode { _ = try folder.open("copy.db", seed: 2) } == .wrongKey)
        #expect(try folder.open("copy.db", seed: 1).verify().isSound)
    }
}
