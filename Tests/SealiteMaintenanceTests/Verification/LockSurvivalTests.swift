import CSQLite
import Foundation
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("locks survive what else the process does")
struct LockSurvivalTests {
    private let scratch: SealedScratch
    init() throws { scratch = try SealedScratch() }

    /// Asks, from another process, whether someone holds a lock on these bytes: POSIX locks of one's own never conflict.
    private func isLocked(_ name: String, _ start: Int, _ count: Int) throws -> Bool {
        let probe = """
            import fcntl, struct, sys
            with open(sys.argv[1], 'rb+') as file:
                asked = struct.pack('hhqqi', fcntl.F_WRLCK, 0, int(sys.argv[2]), int(sys.argv[3]), 0)
                kind = struct.unpack('hhqqi', fcntl.fcntl(file, fcntl.F_GETLK, asked))[0]
            print('free' if kind == fcntl.F_UNLCK else 'locked')
            """
        let answer = try Command.run("python3", ["-c", probe, scratch.path(name), "\(start)", "\(count)"])
        try #require(answer.status == 0, "\(answer.errors)")
        return answer.output == "locked\n"
    }

    private static let pendingByte = 0x4000_0000

    private func useEveryReport(_ database: SealedDatabase) throws {
        #expect(SealedDatabase.isSealed(database.path))
        _ = try SealedDatabase.publicHeader(of: database.path)
        _ = try database.publicHeader()
        _ = try database.slots()
        _ = try database.statistics()
        #expect(try database.verify().isSound)
        _ = try database.audit()
        _ = try SealedDatabase.open(database.path, key: .rawKey(testKey()))
    }

    @Test("a reader in WAL mode keeps its locks on the file and on the WAL index")
    func walReader() throws {
        let database = try scratch.create(mode: "WAL")
        let connection = try database.connect()
        try connection.fillNotes(50)
        try connection.execute("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM notes")
        try useEveryReport(database)
        #expect(try isLocked("test.db", Self.pendingByte + 2, 510))
        #expect(try isLocked("test.db-shm", 120 + 3, 5))
        try connection.execute("COMMIT")
    }

    @Test("a writer in WAL mode keeps the write lock")
    func walWriter() throws {
        let database = try scratch.create(mode: "WAL")
        let connection = try database.connect()
        try connection.fillNotes(50)
        try connection.execute("BEGIN IMMEDIATE; DELETE FROM notes WHERE id = 1")
        try useEveryReport(database)
        #expect(try isLocked("test.db-shm", 120, 1))
        try connection.execute("COMMIT")
        #expect(try !isLocked("test.db-shm", 120, 1), "the probe tells free from locked")
    }

    @Test("a reader and a writer in rollback mode keep SHARED and RESERVED")
    func rollback() throws {
        let database = try scratch.create(mode: "DELETE")
        let connection = try database.connect()
        try connection.fillNotes(50)
        try connection.execute("BEGIN IMMEDIATE; DELETE FROM notes WHERE id = 1")
        try useEveryReport(database)
        #expect(try isLocked("test.db", Self.pendingByte + 1, 1))
        #expect(try isLocked("test.db", Self.pendingByte + 2, 510))
        try connection.execute("COMMIT")
        #expect(try !isLocked("test.db", Self.pendingByte + 1, 1), "the probe tells free from locked")
    }

    @Test("the temporary name that a crash left a database is reported and removed, and the database keeps its locks")
    func secondName() throws {
        let database = try scratch.create(mode: "DELETE")
        let connection = try database.connect()
        try connection.fillNotes(50)
        let leftover = scratch.path(".test.db.sealite-tmp-0123456789abcdef")
        #expect(unsafe link(database.path, leftover) == 0)
        try connection.execute("BEGIN IMMEDIATE; DELETE FROM notes WHERE id = 1")
        #expect(try database.audit().leftovers.map(\.path) == [leftover])
        _ = try NewFile(database.path, replacing: true)
        #expect(!FilePermissions.exists(leftover))
        #expect(try isLocked("test.db", Self.pendingByte + 1, 1))
        try connection.execute("COMMIT")
    }

    @Test("a temporary name of a file that has another name than the one it was for is neither opened nor removed")
    func nameOfOther() throws {
        try scratch.write([1], ".test.db.sealite-tmp-0123456789abcdef")
        #expect(unsafe link(scratch.path(".test.db.sealite-tmp-0123456789abcdef"), scratch.path("moved.db")) == 0)
        _ = try NewFile(scratch.path("test.db"))
        #expect(scratch.exists(".test.db.sealite-tmp-0123456789abcdef"))
    }
}
