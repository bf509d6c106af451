import CSQLite
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("a damaged WAL frame")
struct DamagedFrameTests {
    private static let frame = 24 + 1024

    /// Flips a byte in the newest frame of every page from the third on, so that the schema stays readable.
    private func spoil(_ folder: Folder, frames: Range<Int>) throws {
        for index in frames { try RawFile.flip(folder.file("a.db-wal"), at: 32 + index * Self.frame + 300) }
    }

    private func frameCount(_ folder: Folder) -> Int {
        ((RawFile.byteCount(folder.file("a.db-wal")) ?? 0) - 32) / Self.frame
    }

    @Test("under a running transaction stops the statement that needs it, and nothing is committed on top")
    func underTransaction() throws {
        let folder = try Folder()
        let connection = try folder.create(mode: "WAL", rows: 0).connect()
        try connection.execute("PRAGMA wal_autocheckpoint = 0; CREATE TABLE small(x); INSERT INTO small VALUES (1)")
        let first = frameCount(folder)
        try connection.addNotes(100)
        try spoil(folder, frames: first + 5..<frameCount(folder) - 2)
        // A connection of its own: the first one has the pages in its cache.
        let other = try folder.open().connect()
        let log = try RawFile.read(folder.file("a.db-wal"))
        try other.execute("BEGIN IMMEDIATE")
        #expect(failureCode { try other.execute("UPDATE notes SET body = 'new'") } == .damagedFrame)
        try? other.execute("COMMIT")
        #expect(try RawFile.read(folder.file("a.db-wal")) == log)
        #expect(failureCode { _ = try other.fingerprint() } == .damagedFrame)
        #expect(try other.integer("SELECT x FROM small") == 1, "what doesn't need the frame stays readable")
    }

    @Test("a damaged WAL frame that the running transaction itself wrote is an error, not the end of the log")
    func ownFrame() throws {
        let folder = try Folder()
        let connection = try folder.create(mode: "WAL", rows: 200).connect()
        let before = try connection.fingerprint()
        try connection.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 5; BEGIN")
        let first = frameCount(folder)
        try connection.execute("UPDATE notes SET body = 'own ' || body")
        #expect(frameCount(folder) > first + 20, "the cache is small, so the transaction spills")
        try spoil(folder, frames: first..<frameCount(folder))
        #expect(failureCode { _ = try connection.fingerprint() } == .damagedFrame)
        _ = failureCode { try connection.execute("ROLLBACK") }
        #expect(try folder.open().connect().fingerprint() == before)
    }

    @Test("a WAL frame whose header was written and whose page never came fails nothing afterwards")
    func headerWithoutPage() throws {
        let folder = try Folder()
        let connection = try folder.create(mode: "WAL", rows: 20).connect()
        try connection.execute("PRAGMA wal_autocheckpoint = 0; UPDATE notes SET body = 'new' WHERE id < 5")
        let end = try #require(RawFile.byteCount(folder.file("a.db-wal")))
        var log: UnsafeMutablePointer<sqlite3_file>?
        #expect(
            unsafe sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK)
        let write = unsafe try #require(unsafe log?.pointee.pMethods.pointee.xWrite)
        let header = [UInt8](repeating: 1, count: 24)
        #expect(unsafe write(log, header, 24, Int64(end)) == SQLITE_OK)
        try connection.execute("PRAGMA cache_size = 1")
        #expect(try folder.open().connect().integer("SELECT count(*) FROM notes") == 20)
        #expect(try connection.integer("SELECT count(*) FROM notes WHERE body = 'new'") == 4)
        try connection.execute("INSERT INTO notes(body) VALUES ('after')")
        try connection.checkIntegrity()
    }

    @Test(
        "a damaged WAL frame ends the log for a process that recovers it: the content is that after an earlier commit")
    func recovery() throws {
        let folder = try Folder()
        var states: [String] = []
        var ends: [Int] = []
        do {
            let connection = try folder.create(mode: "WAL", rows: 20).connect()
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0")
            states.append(try connection.fingerprint())
            for _ in 0..<6 {
                try connection.addNotes(7)
                states.append(try connection.fingerprint())
                ends.append(frameCount(folder))
            }
            connection.keepWALOnClose()
        }
        for index in 0..<frameCount(folder) {
            let copy = try Folder()
            try folder.copy(to: copy)
            try spoil(copy, frames: index..<index + 1)
            let connection = try copy.open().connect()
            let expected = states[ends.filter { $0 <= index }.count]
            #expect(try connection.fingerprint() == expected, "frame \(index)")
            try connection.checkIntegrity()
        }
    }
}
