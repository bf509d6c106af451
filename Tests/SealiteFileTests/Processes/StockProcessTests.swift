import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("a stock sqlite3 process on a sealed file")
struct StockProcessTests {
    /// Statements that a user who doesn't know that the file is sealed might run.
    private static let attempts = [
        "SELECT count(*) FROM sqlite_schema", "CREATE TABLE x(y)", "PRAGMA journal_mode = WAL",
        "PRAGMA journal_mode = DELETE", "VACUUM", "PRAGMA integrity_check",
        "BEGIN IMMEDIATE; CREATE TABLE x(y); COMMIT",
        ".recover", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA locking_mode = EXCLUSIVE; SELECT 1 FROM sqlite_schema",
    ]

    private func tryEverything(on folder: Folder) throws {
        for attempt in Self.attempts {
            let result = try ChildProcess.run("/usr/bin/sqlite3", [folder.file("a.db")], input: attempt + ";\n")
            #expect(!result.output.contains("note "), "\(attempt) showed content")
        }
        let attached = "ATTACH '\(folder.file("a.db"))' AS a; CREATE TABLE a.x(y); SELECT * FROM a.notes;"
        _ = try ChildProcess.run("/usr/bin/sqlite3", [":memory:"], input: attached)
    }

    private func changes(_ folder: Folder, since before: [String: [UInt8]]) throws -> [String] {
        let now = try folder.contents()
        return Set(now.keys).union(before.keys).filter { now[$0] != before[$0] }.sorted()
    }

    @Test(
        "a stock sqlite3 process leaves a hot journal and the file under it alone",
        arguments: ["DELETE", "TRUNCATE", "PERSIST"])
    func hotJournal(mode: String) throws {
        let crash = try Crash(mode: mode)
        let before = try crash.folder.contents()
        #expect(before["a.db-journal"] != nil)
        try tryEverything(on: crash.folder)
        #expect(try changes(crash.folder, since: before) == [])
        let connection = try crash.folder.open().connect()
        #expect(try connection.fingerprint() == crash.before)
        try connection.checkIntegrity()
    }

    @Test(
        "a stock sqlite3 process leaves a log that wasn't checkpointed alone, with and without its index",
        arguments: [true, false])
    func log(keepsIndex: Bool) throws {
        let folder = try Folder()
        var expected = ""
        do {
            let connection = try folder.create(mode: "WAL").connect()
            try connection.addNotes(100)
            expected = try connection.fingerprint()
            connection.keepWALOnClose()
        }
        if !keepsIndex { try? RawFile.remove(folder.file("a.db-shm")) }
        let before = try folder.contents()
        #expect((before["a.db-wal"]?.count ?? 0) > 10_000)
        try tryEverything(on: folder)
        #expect(try changes(folder, since: before) == [])
        let connection = try folder.open().connect()
        #expect(try connection.fingerprint() == expected)
        try connection.checkIntegrity()
    }

    @Test("a stock sqlite3 process leaves a log alone while a sealed connection has it open")
    func logInUse() throws {
        let folder = try Folder()
        let connection = try folder.create(mode: "WAL").connect()
        try connection.addNotes(100)
        let expected = try connection.fingerprint()
        try tryEverything(on: folder)
        #expect(try connection.fingerprint() == expected)
        try connection.addNotes(3)
        try connection.checkIntegrity()
        #expect(try folder.open().connect().fingerprint() == connection.fingerprint())
    }

    @Test("a stock sqlite3 process leaves a file in rollback mode alone")
    func atRest() throws {
        let folder = try Folder()
        do { try folder.create() }
        let before = try folder.contents()
        try tryEverything(on: folder)
        #expect(try changes(folder, since: before) == [])
    }
}
