import CSQLite
import SealiteFileTestSupport
import SealiteMaintenance
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("pages that a transaction skipped and reads before it ends")
struct SkippedPageTests {
    private static let modes = ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF", "WAL"]

    /// Transactions that add rows, free their pages and take them again, with a cache of 100 pages; every third is rolled back.
    private static func transactions(rollingBack: Bool) -> [String] {
        let table = "CREATE TABLE blobs(id INTEGER PRIMARY KEY, name TEXT UNIQUE, data BLOB NOT NULL, twin TEXT UNIQUE)"
        return [table]
            + (1...9).map { round in
                let first = round * 1000
                let kept = "DELETE FROM blobs WHERE id >= \(first) AND id * 31 % 7 > 2"
                let undone = "SAVEPOINT s; \(rows(first + 700, 20)); \(kept); ROLLBACK TO s; RELEASE s"
                let end = rollingBack && round % 3 == 0 ? "ROLLBACK" : "COMMIT"
                return """
                    BEGIN; \(rows(first, 60)); \(kept); \(rows(first + 100, 60)); UPDATE blobs SET name = name || 'x';
                    \(kept); DELETE FROM blobs WHERE id < \(first) AND id % 3 = 0; \(rows(first + 200, 60));
                    \(rollingBack ? undone : kept); \(rows(first + 800, 40)); \(kept); \(end)
                    """
            }
    }

    private static func rows(_ first: Int, _ count: Int) -> String {
        (first..<first + count).map {
            "INSERT INTO blobs VALUES (\($0), '\($0 * 7919 % 99991)', zeroblob(\(1000 + $0 * 37 % 5000)), 'twin \($0 * 31)')"
        }.joined(separator: "; ")
    }

    private static func digest(_ connection: RawConnection) throws -> String {
        var text = ""
        try connection.query("SELECT count(*), total(id), total(length(data)), group_concat(name || twin) FROM blobs") {
            (row) throws(SealedFileError) in text = (0..<4).map { row.text($0) ?? "" }.joined(separator: "|")
        }
        return text
    }

    @Test("read as zeros, as in a plain file", arguments: modes, ["NORMAL", "EXCLUSIVE"])
    func read(mode: String, locking: String) throws {
        let folder = try Folder()
        let database = try folder.create(mode: "DELETE", rows: 0)
        let settings = """
            PRAGMA secure_delete = OFF; PRAGMA locking_mode = \(locking); PRAGMA journal_mode = \(mode);
            PRAGMA cache_size = 100; PRAGMA synchronous = OFF
            """
        do {
            let sealed = try database.connect()
            let plain = try RawConnection(uri: "file:\(folder.file("plain.db"))", path: "plain.db", flags: 6)
            try plain.execute("PRAGMA page_size = 1024")
            for connection in [sealed, plain] { try connection.execute(settings) }
            for script in Self.transactions(rollingBack: mode != "OFF") {
                for connection in [sealed, plain] { try connection.execute(script) }
                #expect(try Self.digest(sealed) == Self.digest(plain))
            }
            try sealed.checkIntegrity()
        }
        let report = try folder.open().verify()
        #expect(report.isSound && report.pages.neverWrittenCount == 0)
    }

    @Test(
        "pages that a transaction skipped are sealed as empty ones before a commit counts, though nothing is synced and no lock is given up"
    )
    func beforeTheCommit() throws {
        let stage = try Stage.sealed("skipped pages, at the commit")
        let path = "\(stage.folder)/main.db"
        try stage.prepare(path, Scenario("skipped pages"))
        let connection = try stage.open([path])
        try connection.execute(
            """
            PRAGMA secure_delete = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = PERSIST;
            PRAGMA cache_size = 100; PRAGMA synchronous = OFF
            """)
        var sizes: Set<Int> = []
        for script in Self.transactions(rollingBack: true) {
            try connection.execute(script)
            // The process could be killed here.
            let bytes = try #require(stage.disk.image[path: path])
            #expect(Self.unwrittenPages(of: bytes).isEmpty)
            sizes.insert(bytes.count)
        }
        #expect(sizes.count > 3)
    }

    @Test("a WAL checkpoint that stops before a reader leaves none that others would have to write")
    func partialCheckpoint() throws {
        let folder = try Folder()
        let database = try folder.create(mode: "WAL", rows: 3)
        let (writer, reader) = (try database.connect(), try database.connect())
        _ = try writer.text("PRAGMA wal_checkpoint(TRUNCATE)")
        try writer.execute("PRAGMA wal_autocheckpoint = 0; CREATE TABLE big(x)")
        for _ in 0..<30 { try writer.execute("INSERT INTO big VALUES (randomblob(700))") }
        try reader.execute("BEGIN; SELECT count(*) FROM big")
        // Newer versions of some of the pages that the file doesn't have yet: they stay in the log.
        try writer.execute("UPDATE big SET x = randomblob(700) WHERE rowid % 4 = 0")
        _ = try writer.text("PRAGMA wal_checkpoint(PASSIVE)")
        let partial = try Self.copyOfOpenFile(folder)
        #expect(Self.unwrittenPages(of: partial).isEmpty)
        #expect(partial.count > 20 * 1024)
        try reader.execute("COMMIT")
        _ = try reader.text("PRAGMA wal_checkpoint(TRUNCATE)")
        try writer.checkIntegrity()
    }

    @Test(
        "nothing is written to them once the lock of a WAL checkpoint is given up: another process may have written them"
    )
    func dropOfTheCheckpointLock() throws {
        let folder = try Folder()
        try folder.create(rows: 3)
        let disk = try MortalDisk()
        let connection = try folder.open(vfs: disk.choice).connect()
        var writes = 0
        let task = FileTask { (file, _) throws(SealedFileError) in
            _ = try? file.holes.willWrite(20, pageSize: 1024) { () throws(VFSFailure) in 10 * 1024 }
            #expect(!file.holes.isEmpty)
            let operations = try? disk.record {
                try file.shmLocked(
                    WALLockChange(offset: 1, count: 1, flags: SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE))
            }
            writes = operations?.count { $0.kind == .write } ?? -1
            #expect(file.holes.isEmpty)
        }
        try connection.perform(task)
        #expect(writes == 0)
    }

    /// Read by another process, so that this one keeps SQLite's locks.
    private static func copyOfOpenFile(_ folder: Folder) throws -> [UInt8] {
        _ = try ChildProcess.run("/bin/cp", [folder.file("a.db"), folder.file("copy")])
        return try RawFile.read(folder.file("copy"))
    }

    private static func unwrittenPages(of bytes: [UInt8]) -> [Int] {
        stride(from: 8192, to: bytes.count, by: 1024)
            .filter { bytes[$0..<min($0 + 1024, bytes.count)].allSatisfy { $0 == 0 } }.map { ($0 - 8192) / 1024 + 1 }
    }

    @Test("a page of zeros that the transaction didn't skip stays damage")
    func foreignZeros() throws {
        let folder = try Folder()
        let pageCount: Int
        do {
            let connection = try folder.create(rows: 200).connect()
            pageCount = Int(try connection.integer("PRAGMA page_count"))
        }
        try RawFile.patch(
            folder.file("a.db"), at: 8192 + (pageCount - 1) * 1024, with: [UInt8](repeating: 0, count: 1024))
        let connection = try folder.open().connect()
        try connection.execute(
            "PRAGMA secure_delete = OFF; PRAGMA cache_size = 10; BEGIN; CREATE TABLE gone(x)")
        for _ in 0..<40 { try connection.execute("INSERT INTO gone VALUES (zeroblob(900))") }
        try connection.execute("DELETE FROM gone WHERE rowid % 2 = 0")
        #expect(failureCode { _ = try connection.fingerprint() } == .damagedPage)
    }
}
