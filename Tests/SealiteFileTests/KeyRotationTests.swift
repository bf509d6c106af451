import CSQLite
import Glibc
import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("key rotation", .serialized)
struct KeyRotationTests {
    private func withDatabase(
        _ mode: String, rows: Int = 20_000, _ body: (SealedDatabase, borrowing SecretBytes, String) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("rotate.db")
        let key = try SecretBytes.random(byteCount: 32)
        let database = try SealedDatabase.create(path, slot: .rawKey(key.duplicate()))
        let connection = try database.connect()
        #expect(try connection.text("PRAGMA journal_mode=\(mode)")?.uppercased() == mode)
        try connection.execute(
            """
            CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(rows))
            INSERT INTO t SELECT x, hex(randomblob(60)) FROM n
            """)
        try body(database, key, path)
    }

    @Test(
        "every page is sealed under the new epoch and the old keys leave the header",
        arguments: ["WAL", "DELETE", "PERSIST"])
    func completes(mode: String) throws {
        try withDatabase(mode) { database, key, path in
            let oldHeader = try BaseHandle.readHeader(path, vfs: "unix").image
            let connection = try database.connect()
            let before = try connection.text("SELECT group_concat(b) FROM t")
            var seen = 0
            let report = try KeyRotation(of: database).run { progress in
                seen = max(seen, progress.pagesDone)
                return .proceed
            }
            #expect(report.epoch == 2)
            // In WAL mode most pages come into the file by the checkpoint that ends the rotation.
            #expect(report.pagesResealed > (mode == "WAL" ? 0 : 100))
            #expect(seen == report.pageCount)
            let header = try BaseHandle.readHeader(path, vfs: "unix")
            #expect(header.content.rotation == nil)
            #expect(header.content.masterID != oldHeader.content.masterID)
            #expect(!(try BaseHandle.exists(path + "-rotate", vfs: "unix")))
            #expect(try connection.text("SELECT group_concat(b) FROM t") == before)
            let again = try SealedDatabase.open(path, key: .rawKey(key.duplicate()))
            #expect(try again.connect().text("PRAGMA integrity_check") == "ok")
        }
    }

    @Test(
        "another handle that slept through the whole rotation goes on by its slot's key", arguments: ["WAL", "DELETE"])
    func sleeper(mode: String) throws {
        try withDatabase(mode) { database, key, path in
            let sleeper = try SealedDatabase.open(path, key: .rawKey(key.duplicate()))
            let connection = try sleeper.connect()
            #expect(try connection.integer("SELECT count(*) FROM t") == 20_000)
            _ = try KeyRotation(of: database).run()
            try connection.execute("PRAGMA cache_size=0; UPDATE t SET b = 'new' WHERE a = 7")
            #expect(try connection.integer("SELECT count(*) FROM t") == 20_000)
            #expect(try database.connect().text("SELECT b FROM t WHERE a = 7") == "new")
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
        }
    }

    @Test("a handle whose slot was replaced meanwhile is told to unlock again, and is mended by the new secret")
    func unlockAgain() throws {
        try withDatabase("WAL") { database, key, path in
            let sleeper = try SealedDatabase.open(path, key: .rawKey(key.duplicate()))
            let connection = try sleeper.connect()
            try connection.execute("PRAGMA cache_size=0")
            let newKey = try SecretBytes.random(byteCount: 32)
            let rotation = try KeyRotation(of: database)
            try rotation.replaceSlot(1, with: .rawKey(newKey.duplicate()))
            _ = try rotation.run()
            #expect(throws: SealedFileError(.unlockAgain, "")) {
                try connection.integer("SELECT sum(length(b)) FROM t")
            }
            let refusal = #expect(throws: SealedFileError.self) {
                try sleeper.unlockAgain(key: .rawKey(key.duplicate()))
            }
            #expect(refusal?.code == .wrongKey && refusal?.reason.contains(path) == true)
            try sleeper.unlockAgain(key: .rawKey(newKey))
            #expect(try connection.integer("SELECT sum(length(b)) FROM t") == 20_000 * 120)
        }
    }

    @Test("a rotation that was stopped goes on where it was", arguments: ["WAL", "DELETE"])
    func resumes(mode: String) throws {
        try withDatabase(mode) { database, _, path in
            #expect(throws: SealedFileError(.cancelled, "")) {
                try KeyRotation(of: database).run { progress in progress.pagesDone > 0 ? .stop : .proceed }
            }
            #expect(try BaseHandle.readHeader(path, vfs: "unix").content.rotation != nil)
            #expect(try database.connect().text("PRAGMA integrity_check") == "ok")
            let rotation = try KeyRotation(of: database)
            #expect(rotation.isResuming)
            let report = try rotation.finish()
            #expect(report.wasResumed)
            #expect(report.epoch == 2)
            #expect(try database.connect().text("PRAGMA integrity_check") == "ok")
            #expect(throws: SealedFileError(.refused, "")) { try KeyRotation(of: database).finish() }
        }
    }

    @Test("a rotation of a file whose rotation was stopped asks for every decision, and makes new keys by them")
    func resumesAndRotates() throws {
        try withDatabase("DELETE") { database, key, path in
            let paper = try RecoveryKey()
            try database.addSlot(.recovery(paper), label: "paper")
            let first = try KeyRotation(of: database)
            #expect(throws: SealedFileError(.cancelled, "")) {
                try first.run { progress in progress.pagesDone > 0 ? .stop : .proceed }
            }
            // Another handle vouches for no recovery slot: the header could be one from before its removal.
            let other = try SealedDatabase.open(path, key: .rawKey(key.duplicate()))
            let before = try BaseHandle.readHeader(path, vfs: "unix").content
            #expect(throws: SealedFileError(.invalidArgument, "")) { try KeyRotation(of: other).run() }
            #expect(try BaseHandle.readHeader(path, vfs: "unix").content.generation == before.generation)
            let rotation = try KeyRotation(of: other)
            try rotation.dropSlot(2)
            let report = try rotation.run()
            #expect(report.wasResumed && report.epoch == 3)
            #expect(try other.publicHeader().slots.map(\.number) == [1])
            #expect(try other.verify().isSound)
        }
    }

    @Test("a rotation with an undecided slot doesn't start")
    func undecided() throws {
        try withDatabase("WAL", rows: 10) { database, _, path in
            try database.addSlot(.rawKey(try SecretBytes.random(byteCount: 32)), label: "second")
            let rotation = try KeyRotation(of: database)
            #expect(rotation.undecidedSlots == [2])
            #expect(throws: SealedFileError(.invalidArgument, "")) { try rotation.run() }
            #expect(try BaseHandle.readHeader(path, vfs: "unix").content.rotation == nil)
            try rotation.dropSlot(2)
            _ = try rotation.run()
            #expect(try database.slots().map(\.number) == [1])
        }
    }

    @Test("writers and readers go on while the keys are rotated", arguments: ["WAL", "DELETE"])
    func concurrent(mode: String) throws {
        try withDatabase(mode, rows: 30_000) { database, key, path in
            let other = try SealedDatabase.open(path, key: .rawKey(key.duplicate()))
            let isDone = Atomic<Bool>(false)
            let commits = Atomic<Int>(0)
            let failures = Mutex<[String]>([])
            let threads = (0..<2).map { index in
                TestThread {
                    do {
                        let connection = try (index == 0 ? other : database).connect(busyTimeout: waitingLimit)
                        try connection.execute("PRAGMA cache_size=10")
                        while !isDone.load(ordering: .acquiring) {
                            if index == 0 {
                                try connection.execute("INSERT INTO t(b) VALUES(hex(randomblob(200)))")
                                commits.add(1, ordering: .relaxed)
                                letTimePass(
                                    .milliseconds(2),
                                    because: "in rollback mode a writer without a pause starves everybody else")
                            } else {
                                let count = try connection.integer("SELECT count(*) FROM t")
                                if count < 30_000 { failures.withLock { $0.append("\(count) rows") } }
                            }
                        }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
            }
            eventuallyBlocking("the first commit") { commits.load(ordering: .relaxed) > 0 }
            for _ in 0..<2 { _ = try KeyRotation(of: database).run() }
            isDone.store(true, ordering: .releasing)
            for thread in threads { thread.join() }
            #expect(failures.withLock { $0 } == [])
            let connection = try database.connect()
            #expect(
                try connection.integer("SELECT count(*) FROM t") == 30_000 + Int64(commits.load(ordering: .relaxed)))
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
            #expect(commits.load(ordering: .relaxed) > 0)
        }
    }
}
