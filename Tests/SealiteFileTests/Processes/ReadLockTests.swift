import CSQLite
import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("a read lock that is kept")
struct ReadLockTests {
    private static let question = "SELECT count(*) FROM notes"
    private let folder: Folder
    private let keeper = ReadLockKeeper()
    private let writer: ChildProcess

    init() throws {
        folder = try Folder()
        try folder.create(mode: "WAL", rows: 10)
        writer = try ChildProcess(ChildProcess.buildFolder + "/SealiteTestChild")
        #expect(try writer.answer("open c \(folder.file("a.db")) 7") == [])
    }

    /// A connection of this process whose read locks are kept.
    private func makeReader() throws -> RawConnection {
        let reader = try folder.open().connect()
        let argument = unsafe Unmanaged.passUnretained(keeper).toOpaque()
        #expect(unsafe reader.control(PrivateControl.keepReadLocks, argument) == SQLITE_OK)
        keeper.mayKeep = true
        return reader
    }

    /// Reads until a lock is kept.
    private func readUntilKept(_ reader: RawConnection) throws {
        for _ in 0..<(2 * ReadLockKeeper.roundReadCount) where !keeper.isKeeping {
            _ = try reader.integer(Self.question)
        }
        #expect(keeper.isKeeping)
    }

    private func addNote() throws {
        #expect(try writer.answer("sql c INSERT INTO notes(body) VALUES ('new')") == [])
    }

    /// Returns whether another process could restart the log from the front.
    private func canTruncateLog() throws -> Bool {
        try writer.answer("sql c PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)").last?.hasPrefix("0") == true
    }

    @Test("a kept read lock hides no commit of another process: the next read sees it")
    func seesCommits() throws {
        let reader = try makeReader()
        for count in 11..<31 {
            try readUntilKept(reader)
            try addNote()
            #expect(try reader.integer(Self.question) == Int64(count))
            #expect(!keeper.isKeeping, "right after a commit nothing is kept")
        }
    }

    @Test("a kept read lock holds the log up until it is released, and not longer")
    func release() throws {
        let reader = try makeReader()
        try addNote()
        try readUntilKept(reader)
        #expect(try !canTruncateLog())
        keeper.release()
        #expect(!keeper.isKeeping)
        #expect(try canTruncateLog())
        #expect(try reader.integer(Self.question) == 11)
    }

    @Test("a kept read lock is given up in every round of reads, and by a read that mayn't keep it")
    func rounds() throws {
        let reader = try makeReader()
        try readUntilKept(reader)
        var releasedCount = 0
        for _ in 0..<(4 * ReadLockKeeper.roundReadCount) {
            _ = try reader.integer(Self.question)
            if !keeper.isKeeping { releasedCount += 1 }
        }
        #expect(releasedCount >= 4 * Int(ReadLockKeeper.releasingReadCount))
        try readUntilKept(reader)
        keeper.mayKeep = false
        _ = try reader.integer(Self.question)
        #expect(!keeper.isKeeping)
    }

    @Test("a kept read lock goes with its connection, and gives way to what the connection itself does")
    func ownConnection() throws {
        // Open throughout: what this process shares of the index's locks goes with its last connection.
        let other = try folder.open().connect()
        try addNote()
        #expect(try other.integer(Self.question) == 11)
        do {
            let reader = try makeReader()
            try readUntilKept(reader)
            try reader.execute("INSERT INTO notes(body) VALUES ('own')")
            try readUntilKept(reader)
            #expect(try reader.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
            try addNote()
            try readUntilKept(reader)
        }
        #expect(!keeper.isKeeping)
        #expect(try other.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
        #expect(try other.integer(Self.question) == 13)
    }
}
