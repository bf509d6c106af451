import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("transactions that outgrow the cache in WAL mode")
struct SpilledTransactionTests {
    /// Writes pages early, again and again in place, and begins anew behind a savepoint.
    private static let spilling =
        [
            "PRAGMA cache_size = 10", "PRAGMA wal_autocheckpoint = 0",
            "UPDATE notes SET body = printf('%0180d', id * id)", "BEGIN",
        ]
        + (1...6).flatMap { round in
            [
                "UPDATE notes SET body = '\(round) ' || substr(body, 1, 150) WHERE id % 7 <> \(round)",
                "SAVEPOINT s\(round)",
                "UPDATE notes SET body = 'undone' || substr(body, 1, 190)",
                "INSERT INTO notes(body) SELECT body FROM notes LIMIT 200",
                "ROLLBACK TO s\(round)",
            ]
        }

    @Test("what is written in place several times is what others read, before and after a checkpoint")
    func content() throws {
        let folder = try Folder()
        let writer = try folder.create(mode: "WAL", rows: 2000).connect()
        let twin = try folder.create("twin.db", rows: 2000).connect()
        for statement in Self.spilling {
            try writer.execute(statement)
            try twin.execute(statement)
        }
        for statement in ["COMMIT", "UPDATE notes SET body = body || ' later' WHERE id < 500"] {
            try writer.execute(statement)
            try twin.execute(statement)
            #expect(try folder.open().connect().fingerprint() == twin.fingerprint())
        }
        #expect(try folder.open().connect().text("PRAGMA integrity_check") == "ok")
        _ = try writer.text("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try folder.open().connect().fingerprint() == twin.fingerprint())
    }

    @Test(
        "a commit that rewrote frames is there after a kill, whatever is synced",
        arguments: ["OFF", "NORMAL", "FULL", "EXTRA"], [false, true])
    func kill(synchronous: String, isCheckpointed: Bool) throws {
        let folder = try Folder()
        let writer = try folder.create(mode: "WAL", rows: 300).connect()
        try writer.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)")
        try writer.execute("PRAGMA synchronous = \(synchronous); PRAGMA cache_size = 5")
        for round in 1...4 {
            // A small commit before, which must not lie over the large one after the recovery.
            try writer.execute("INSERT INTO notes(body) VALUES ('\(round)')")
            try writer.execute(
                """
                BEGIN; UPDATE notes SET body = '\(round)' || substr(body, 1, 150);
                UPDATE notes SET body = body || 'again' WHERE id % 3 = 0; COMMIT
                """)
            if isCheckpointed { try writer.execute("PRAGMA wal_checkpoint(PASSIVE)") }
            let killed = try Folder()
            // What a kill leaves: the index of the log is made anew from the log.
            for name in ["a.db", "a.db-wal"] {
                try RawFile.write(try RawFile.read(folder.file(name)), to: killed.file(name))
            }
            let reader = try killed.open().connect()
            #expect(try reader.fingerprint() == writer.fingerprint())
            #expect(try reader.text("PRAGMA integrity_check") == "ok")
        }
    }

    @Test("a page that goes to its frame again isn't read back before")
    func reads() throws {
        let folder = try Folder()
        try folder.create(mode: "WAL", rows: 2000).connect().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let disk = try MortalDisk()
        let connection = try folder.open(vfs: disk.choice).connect()
        try connection.execute("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0; BEGIN")
        let operations = try disk.record {
            for _ in 0..<3 { try connection.execute("UPDATE notes SET body = body || 'x'") }
        }
        let frames = operations.filter { $0.file == .wal && $0.byteCount > 1024 }
        var known: Set<Int64> = []
        let rewrites = frames.count { $0.kind == .write && !known.insert($0.offset).inserted }
        try #require(rewrites > 200)
        // SQLite itself reads each page once a round; reading back would double that.
        #expect(frames.count { $0.kind == .read } < rewrites * 3 / 2)
        try connection.execute("COMMIT")
    }
}
