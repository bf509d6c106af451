import CSQLite
import Foundation
import SealiteCrypto
import SealiteFileTestSupport
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("online backup")
struct OnlineBackupTests {
    private let scratch: SealedScratch

    init() throws { scratch = try SealedScratch() }

    @Test(
        "a backup holds what the database holds, under another id and page key, with the same slots",
        arguments: [1024, 4096, 65536], ["WAL", "DELETE"])
    func sameContent(pageSize: Int, mode: String) throws {
        let database = try scratch.create(pageSize: pageSize, mode: mode)
        let connection = try database.connect()
        try connection.fillNotes(500)
        let report = try database.backup(to: scratch.path("copy.db"))
        #expect(report.databaseID != database.databaseID)
        #expect(report.integrity == .ok)
        #expect(report.catchUpCount == 0)
        let copy = try scratch.open("copy.db")
        #expect(copy.databaseID == report.databaseID)
        #expect(try copy.slots() == database.slots())
        #expect(try copy.connect().dump() == connection.dump())
        #expect(try copy.connect().text("PRAGMA journal_mode")?.uppercased() == mode)
        #expect(try copy.verify().isSound)
        // No page of the one opens in the other.
        let (one, other) = (try scratch.bytes("test.db"), try scratch.bytes("copy.db"))
        let place = HeaderLayout.regionByteCount
        #expect(one[place..<place + pageSize] != other[place..<place + pageSize])
        #expect(!scratch.names.contains { $0.contains(NewFile.marker) })
    }

    @Test("a backup with a new slot opens with that slot's secret only")
    func newSlot() throws {
        let database = try scratch.create()
        try database.connect().fillNotes(50)
        let recovery = try RecoveryKey()
        let options = BackupSlotOptions(label: "vault", recoveryKey: recovery)
        _ = try database.backup(to: scratch.path("copy.db"), slot: .rawKey(testKey(9)), options: options)
        #expect(throws: SealedFileError(.wrongKey, "")) { try scratch.open("copy.db") }
        let copy = try scratch.open("copy.db", seed: 9)
        #expect(try copy.slots().map(\.label) == ["vault", "recovery"])
        #expect(try copy.connect().integer("SELECT count(*) FROM notes") == 50)
        let recovered = try SealedDatabase.open(scratch.path("copy.db"), key: .recoveryKey(recovery))
        #expect(try recovered.connect().integer("SELECT count(*) FROM notes") == 50)
    }

    @Test("commits that are only in the WAL are in the backup")
    func walContent() throws {
        let database = try scratch.create(mode: "WAL")
        let connection = try database.connect()
        try connection.execute("PRAGMA wal_autocheckpoint=0")
        try connection.fillNotes(300)
        _ = try database.backup(to: scratch.path("copy.db"))
        #expect(try scratch.open("copy.db").connect().integer("SELECT count(*) FROM notes") == 300)
    }

    @Test("a place that is taken is refused and left alone")
    func taken() throws {
        let database = try scratch.create()
        try scratch.write([1, 2, 3], "copy.db")
        #expect(throws: SealedFileError(.exists, "")) { try database.backup(to: scratch.path("copy.db")) }
        #expect(try scratch.bytes("copy.db") == [1, 2, 3])
    }

    @Test("a backup that is given up leaves nothing behind", arguments: [BackupProgress.Phase.copying, .verifying])
    func cancelled(phase: BackupProgress.Phase) throws {
        let database = try scratch.create()
        try database.connect().fillNotes(2000, byteCount: 800)
        let before = scratch.names
        #expect(throws: SealedFileError(.cancelled, "")) {
            try database.backup(to: scratch.path("copy.db")) { $0.phase != phase }
        }
        #expect(scratch.names == before)
        #expect(try database.connect().integer("SELECT count(*) FROM notes") == 2000)
    }

    @Test("a damaged page stops a backup with its number, and leaves nothing behind")
    func damagedSource() throws {
        do { try scratch.create(mode: "DELETE").connect().fillNotes(2000) }
        var bytes = try scratch.bytes("test.db")
        bytes[HeaderLayout.regionByteCount + 9 * 1024 + 100] ^= 1
        try scratch.write(bytes, "test.db")
        let error = #expect(throws: SealedFileError.self) {
            try scratch.open().backup(to: scratch.path("copy.db"))
        }
        #expect(error?.code == .damagedPage)
        #expect(error?.page == 10)
        #expect(scratch.names == ["test.db"])
    }

    @Test("a source whose index is wrong gives no backup, and says why")
    func inconsistentSource() throws {
        let database = try scratch.create(mode: "DELETE")
        do {
            let connection = try database.connect()
            try connection.fillNotes(50)
            try connection.execute("CREATE INDEX byBody ON notes(body)")
            // The index now stands for another table's order.
            try connection.execute(
                "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql='CREATE INDEX byBody ON notes(id)'"
                    + " WHERE name='byBody'")
        }
        #expect(throws: SealedFileError(.integrity, "")) { try database.backup(to: scratch.path("copy.db")) }
        #expect(!scratch.exists("copy.db"))
    }

    @Test("a schema that needs a collation of its application is backed up, without the integrity check")
    func foreignCollation() throws {
        let database = try scratch.create(mode: "DELETE")
        do {
            let connection = try database.connect()
            try connection.fillNotes(50)
            try connection.execute("CREATE INDEX byBody ON notes(body)")
            try connection.execute(
                "PRAGMA writable_schema=ON;"
                    + "UPDATE sqlite_schema SET sql='CREATE INDEX byBody ON notes(body COLLATE elsewhere)' WHERE name='byBody'"
            )
        }
        let report = try database.backup(to: scratch.path("copy.db"))
        #expect(report.integrity == .skipped)
    }

    /// Accounts whose sum never changes, and a writer that moves amounts, with a rollback journal too without a pause. A soak
    /// makes backups for a minute.
    @Test(
        "a backup of a database that is being written is one state of it",
        arguments: [("WAL", 0), ("DELETE", 0), ("DELETE", 5), ("PERSIST", 0)] as [(String, CInt)])
    func consistentUnderWrites(mode: String, pause: CInt) throws {
        let database = try scratch.create(mode: mode)
        try database.connect().execute(
            """
            CREATE TABLE accounts(id INTEGER PRIMARY KEY, amount INTEGER, filler BLOB);
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 4000)
            INSERT INTO accounts SELECT x, 100, randomblob(700) FROM n
            """)
        let writer = Writer(database, pause: pause)
        defer { writer.stop() }
        writer.start()
        eventuallyBlocking("the first commit") { writer.commitCount > 0 }
        let end = ContinuousClock.now + (isSoak ? .seconds(60) : .zero)
        var round = 0
        repeat {
            let path = scratch.path("copy\(round).db")
            let report = try database.backup(to: path) { _ in
                letTimePass(.milliseconds(1), because: "the writer of the other thread gets on meanwhile")
                return true
            }
            #expect(report.integrity == .ok)
            do {
                let copy = try scratch.open("copy\(round).db").connect()
                #expect(try copy.integer("SELECT sum(amount) FROM accounts") == 400_000)
            }
            for suffix in ["", "-wal", "-shm"] { scratch.remove("copy\(round).db" + suffix) }
            round += 1
        } while round < 2 || ContinuousClock.now < end
        #expect(writer.stop() > 0)
    }

    private let isSoak = ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil
}

/// Moves amounts between accounts, one transaction after another, on a thread of its own.
private final class Writer: Sendable {
    private let database: SealedDatabase
    private let state = Mutex<(isStopped: Bool, commitCount: Int)>((false, 0))
    private let ended = DispatchSemaphore(value: 0)

    private let pause: CInt

    /// `pause` is in milliseconds.
    init(_ database: SealedDatabase, pause: CInt) {
        self.database = database
        self.pause = pause
    }

    func start() {
        Thread.detachNewThread { [self] in
            defer { ended.signal() }
            guard let connection = try? database.connect(busyTimeout: .seconds(20)) else { return }
            var random = SeededRandom()
            while !state.withLock({ $0.isStopped }) {
                let (from, to) = (1 + random.below(4000), 1 + random.below(4000))
                let sql =
                    "BEGIN IMMEDIATE; UPDATE accounts SET amount = amount - 1 WHERE id = \(from);"
                    + "UPDATE accounts SET amount = amount + 1 WHERE id = \(to); COMMIT"
                guard (try? connection.execute(sql)) != nil else {
                    // A commit for which a reader left no time would keep its locks for ever.
                    try? connection.execute("ROLLBACK")
                    continue
                }
                state.withLock { $0.commitCount += 1 }
                if pause > 0 {
                    letTimePass(.milliseconds(Int(pause)), because: "a writer without a pause starves the backup")
                }
            }
        }
    }

    var commitCount: Int { state.withLock { $0.commitCount } }

    /// Returns how many transactions were committed.
    @discardableResult
    func stop() -> Int {
        let wasRunning = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        if wasRunning { ended.wait() }
        return state.withLock { $0.commitCount }
    }
}

extension SealedScratch {
    /// The names in the folder, sorted.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }
}
