import Glibc
import SealiteFileTestSupport
import SealiteMaintenance
import SealiteTestSupport
import Synchronization
import Testing

@testable import SealiteFile

/// A writer or a reader in a process of its own, listened to by a thread until it is killed.
private final class Companion: Sendable {
    // Used by one thread at a time: the listening one until `stop()` has joined it.
    private nonisolated(unsafe) let process: ChildProcess
    // Written before the thread begins and read after it was joined, by the thread that owns this object.
    private nonisolated(unsafe) var listener: TestThread?
    private let heard = Mutex<(last: Int, complaints: [String])>((0, []))

    /// `isOrdered` says that no number may be lower than the one before.
    init(_ program: String, _ commands: [String], prefix: String) throws {
        let process = try ChildProcess(program)
        unsafe self.process = process
        for command in commands.dropLast() {
            let answer = try process.answer(command)
            guard answer.isEmpty else { throw ChildProcess.Failure(description: answer.joined()) }
        }
        try process.send(commands.last ?? "")
        unsafe listener = TestThread { [self] in listen(prefix) }
    }

    private func listen(_ prefix: String) {
        while let line = try? unsafe process.line() {
            heard.withLock { heard in
                guard line.hasPrefix(prefix), let number = Int(line.dropFirst(prefix.count)) else {
                    return heard.complaints.append(line)
                }
                if number < heard.last { heard.complaints.append("\(number) after \(heard.last)") }
                heard.last = number
            }
        }
    }

    var last: Int { heard.withLock { $0.last } }

    /// Kills it, and returns the last number and what it said that it shouldn't have.
    func stop() -> (last: Int, complaints: [String]) {
        unsafe process.kill()
        unsafe listener?.join()
        unsafe process.wait()
        return heard.withLock { $0 }
    }
}

@Suite("rotations killed beside a writer and a reader", .serialized)
struct RotationKillTests {
    private let child = ChildProcess.buildFolder + "/SealiteTestChild"
    private let isSoak = Effort.current == .soak

    @Test("every acknowledged row is there, and the rotation comes to its end", arguments: ["WAL", "DELETE"])
    func kills(mode: String) throws {
        let folder = try Folder()
        // 200 MB in a soak; else as much as some batches take.
        let rows: Int64 = isSoak ? 50_000 : 2000
        let opening = "open c \(folder.file("a.db")) 7"
        do {
            let connection = try folder.create(mode: mode, pageSize: 4096, rows: 0).connect()
            try connection.execute(
                """
                CREATE TABLE log(id INTEGER PRIMARY KEY, who TEXT, number INTEGER, filler TEXT);
                CREATE TABLE bulk(id INTEGER PRIMARY KEY, body BLOB);
                WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(rows))
                INSERT INTO bulk SELECT x, randomblob(3900) FROM n
                """)
            if mode == "WAL" { try connection.query("PRAGMA wal_checkpoint(TRUNCATE)") }
        }
        let reader = try Companion(child, [opening, "watch c log"], prefix: "= ")
        let writer = try Companion(
            child, [opening, "append c log 100000000 writer 2"], prefix: "ack ")
        eventuallyBlocking("the first row, written and read") { writer.last > 0 && reader.last > 0 }
        var generator = SeededRandom()
        var killed = 0
        let wanted = (isSoak ? 100 : 10) / 2
        // A machine that is busy elsewhere may let a rotation end before it is killed: then there is another.
        for _ in 0..<wanted * 20 where killed < wanted {
            let rotator = try ChildProcess(child)
            #expect(try rotator.answer(opening) == [])
            try rotator.send("rotate c")
            #expect(try rotator.line() == "begun")
            letTimePass(
                .microseconds(Int.random(in: 0...(isSoak ? 4_000_000 : 150_000), using: &generator)),
                because: "the process is killed at a random moment")
            rotator.kill()
            while try rotator.line() != nil {}
            rotator.wait()
            if try BaseHandle.readHeader(folder.file("a.db"), vfs: "unix").content.rotation != nil { killed += 1 }
            let connection = try folder.open().connect(busyTimeout: .seconds(60))
            try connection.query("SELECT count(*) FROM bulk WHERE length(body) = 3900") {
                (row) throws(SealedFileError) in #expect(row.integer(0) == rows)
            }
        }
        #expect(killed == wanted)
        let (acknowledged, writerSaid) = writer.stop()
        let (seen, readerSaid) = reader.stop()
        #expect(writerSaid == [] && readerSaid == [])
        #expect(acknowledged > 0 && seen > 0)
        let database = try folder.open()
        let connection = try database.connect()
        let kept = try connection.integer("SELECT count(*) FROM log")
        // The row that was committed but not yet acknowledged may be there.
        #expect(kept == acknowledged || kept == acknowledged + 1)
        _ = try KeyRotation(of: database).run()
        #expect(try database.publicHeader().previousEpoch == nil)
        #expect(try database.verify().isSound)
        try connection.checkIntegrity()
    }
}
