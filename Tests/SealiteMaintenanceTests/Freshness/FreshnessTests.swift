import CSQLite
import Glibc
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("freshness record")
struct FreshnessTests {
    private let scratch: SealedScratch
    private var record: String { scratch.path("notes.freshness") }

    init() throws { scratch = try SealedScratch() }

    private func database(mode: String = "WAL") throws -> SealedDatabase {
        let database = try scratch.create(mode: mode)
        try database.connect().fillNotes(20)
        return database
    }

    private func state(_ database: SealedDatabase) throws -> FreshnessState {
        try database.freshness(against: record)
    }

    private func isFresh(_ database: SealedDatabase) throws -> Bool {
        if case .fresh = try state(database) { true } else { false }
    }

    private func rollback(_ database: SealedDatabase) throws -> String? {
        if case .rolledBack(_, _, let reason) = try state(database) { reason } else { nil }
    }

    @Test("a database is as fresh as its record, and stays so after later commits", arguments: ["WAL", "DELETE"])
    func laterCommits(mode: String) throws {
        let database = try database(mode: mode)
        let made = try database.recordFreshness(at: record)
        #expect(made.counter == 1)
        #expect(try isFresh(database))
        let connection = try database.connect()
        try connection.execute("CREATE TABLE more(a); INSERT INTO more VALUES(1)")
        #expect(try isFresh(database))
        let next = try database.recordFreshness(at: record)
        #expect(next.counter == 2)
        #expect(next.serial > made.serial)
    }

    @Test("an old file put back is rolled back, by its counter and serial", arguments: ["WAL", "DELETE"])
    func oldFile(mode: String) throws {
        do {
            let database = try database(mode: mode)
            try database.recordFreshness(at: record)
        }
        try scratch.copy("test.db", to: "old.db")
        do {
            let database = try scratch.open()
            try database.connect().execute("CREATE TABLE more(a)")
            try database.recordFreshness(at: record)
            #expect(try isFresh(database))
        }
        try scratch.copy("old.db", to: "test.db")
        let database = try scratch.open()
        #expect(try rollback(database) == "its freshness counter is lower than the recorded one")
        let error = #expect(throws: SealedFileError.self) {
            try SealedDatabase.open(
                scratch.path("test.db"), key: .rawKey(testKey()), freshness: FreshnessPolicy(recordPath: record))
        }
        #expect(error?.code == .rolledBack)
        #expect(error?.reason.contains("recorded: key epoch 1, freshness counter 2") == true)
        #expect(error?.reason.contains("found: key epoch 1, freshness counter 1") == true)
        #expect(throws: SealedFileError(.rolledBack, "")) { try database.recordFreshness(at: record) }
    }

    @Test("an old file under the newest header is rolled back, by its serial")
    func oldPagesNewHeader() throws {
        do { try database(mode: "DELETE").recordFreshness(at: record) }
        try scratch.copy("test.db", to: "old.db")
        do {
            let database = try scratch.open()
            try database.connect().execute("UPDATE notes SET body = 'x' WHERE id = 1")
            try database.recordFreshness(at: record)
        }
        let header = try scratch.bytes("test.db").prefix(HeaderLayout.regionByteCount)
        let pages = try scratch.bytes("old.db").dropFirst(HeaderLayout.regionByteCount)
        try scratch.write(Array(header + pages), "test.db")
        #expect(try rollback(try scratch.open()) == "its page-1 serial is behind the recorded one")
    }

    @Test("another page 1 of the recorded serial is rolled back")
    func forkedHistory() throws {
        do { try database(mode: "DELETE").recordFreshness(at: record) }
        try scratch.copy("test.db", to: "fork.db")
        let first = try scratch.open()
        try first.connect().execute("CREATE TABLE one(a)")
        try first.recordFreshness(at: record)
        let recorded = try scratch.bytes("notes.freshness")
        // The same number of transactions and records, with other content.
        let fork = try scratch.open("fork.db")
        try fork.connect().execute("CREATE TABLE two(a)")
        try fork.recordFreshness(at: scratch.path("other.freshness"))
        #expect(try fork.freshness(against: record) != .noRecord)
        guard case .rolledBack(_, _, let reason) = try fork.freshness(against: record) else {
            Issue.record("a fork passed for the recorded database")
            return
        }
        #expect(reason == "its page 1 has the recorded serial, but other content than the recorded one")
        #expect(try scratch.bytes("notes.freshness") == recorded)
    }

    @Test("a slower writer puts no older record over that of a later change of slots", arguments: ["WAL", "DELETE"])
    func twoWriters(mode: String) throws {
        let record = record
        let database = try database(mode: mode)
        try database.addSlot(.rawKey(testKey(9)))
        try database.recordFreshness(at: record)
        let slower = try scratch.open()
        try NewFile.$onPublication.withValue({ step in
            // The slower writer's record is complete, and has no name yet.
            guard step == .synced, (try? database.connect(busyTimeout: .zero).execute("BEGIN IMMEDIATE")) != nil else {
                return
            }
            do {
                try NewFile.$onPublication.withValue(nil) {
                    try database.removeSlot(2)
                    _ = try database.recordFreshness(at: record)
                }
            } catch {
                Issue.record(error)
            }
        }) {
            _ = try slower.recordFreshness(at: record)
        }
        let recorded = try FreshnessRecord(parsing: try scratch.bytes("notes.freshness"), path: record)
        let header = try database.publicHeader()
        #expect(recorded.counter >= 2 && recorded.counter == header.freshnessCounter)
        #expect(recorded.generation == header.generation)
    }

    @Test("commits that are only in the WAL count")
    func walCounts() throws {
        let database = try database(mode: "WAL")
        let keeper = try database.connect()
        _ = try keeper.integer("SELECT count(*) FROM notes")
        try keeper.execute("CREATE TABLE late(a)")
        try database.recordFreshness(at: record)
        #expect(try isFresh(database))
        try scratch.copy("test.db", to: "cut.db")
        try scratch.write([], "cut.db-wal")
        // The header carries the counter; the log that held the serial is gone.
        let cut = try scratch.open("cut.db")
        #expect(try cut.freshness(against: record) != .noRecord)
        guard case .rolledBack(_, let found, let reason) = try cut.freshness(against: record) else {
            Issue.record("a database without its log passed")
            return
        }
        #expect(reason == "its page-1 serial is behind the recorded one")
        #expect(found.counter == 1)
    }

    @Test("a backup in the database's place is another database")
    func otherDatabase() throws {
        do {
            let database = try database()
            try database.recordFreshness(at: record)
            _ = try database.backup(to: scratch.path("backup.db"))
        }
        let backup = try scratch.open("backup.db")
        guard case .rolledBack(_, _, let reason) = try backup.freshness(against: record) else {
            Issue.record("a backup passed for the database")
            return
        }
        #expect(reason == "it is another database")
        _ = try SealedDatabase.open(
            scratch.path("backup.db"), key: .rawKey(testKey()),
            freshness: FreshnessPolicy(recordPath: record, acceptsRollback: true))
        #expect(try isFresh(backup))
    }

    @Test("a missing record is a state of its own and is made only when asked")
    func missingRecord() throws {
        do { _ = try database() }
        let path = scratch.path("test.db")
        let error = #expect(throws: SealedFileError.self) {
            try SealedDatabase.open(path, key: .rawKey(testKey()), freshness: FreshnessPolicy(recordPath: record))
        }
        #expect(error?.code == .noSuchFile)
        #expect(!scratch.exists("notes.freshness"))
        let database = try SealedDatabase.open(
            path, key: .rawKey(testKey()), freshness: FreshnessPolicy(recordPath: record, makesFirstRecord: true))
        #expect(try isFresh(database))
        var status = stat()
        #expect(unsafe stat(record, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test("serials compare in a circle")
    func circle() throws {
        let database = try database(mode: "DELETE")
        try database.recordFreshness(at: record)
        let made = try FreshnessRecord(parsing: try scratch.bytes("notes.freshness"), path: record)
        let serial = made.serial
        for (shift, isBehind) in [
            (1, true), (1 << 31, true), ((1 << 31) + 1, false), (Int(UInt32.max), false),
        ] as [(Int, Bool)] {
            let numbers = FreshnessNumbers(
                database.ring.content, serial: serial &+ UInt32(truncatingIfNeeded: shift))
            let shifted = try FreshnessRecord(
                numbers: numbers, digest: made.digest, applicationKey: try #require(try database.ring.applicationKey()))
            try scratch.write(shifted.encoded(), "notes.freshness")
            #expect(
                try (rollback(database) == "its page-1 serial is behind the recorded one") == isBehind, "shift \(shift)"
            )
        }
    }

    @Test(
        "a record that isn't one is refused",
        arguments: [
            "", "{}", "[]", "no JSON", #"{"format":"sealite freshness 2"}"#,
            #"{"format":"sealite freshness 2","databaseID":"00","epoch":1,"counter":"1","serial":1,"digest":"00"}"#,
        ])
    func notARecord(text: String) throws {
        let database = try database()
        try scratch.write(Array(text.utf8), "notes.freshness")
        #expect(throws: SealedFileError(.invalidArgument, "")) { try state(database) }
        #expect(throws: SealedFileError(.invalidArgument, "")) { try database.recordFreshness(at: record) }
    }

    @Test("a record of a later format, with a member more, or with a number out of range is refused")
    func strictRecord() throws {
        let database = try database()
        let recorded = try database.recordFreshness(at: record)
        let made = String(decoding: recorded.encoded(), as: UTF8.self)
        let changes: [(String, String, SealedFileError.Code)] = [
            ("freshness 2", "freshness 3", .unsupportedVersion),
            ("freshness 2", "freshness 1", .unsupportedVersion),
            ("\"generation\": \"\(recorded.generation)\"", "\"generation\": \"0\"", .invalidArgument),
            ("\"epoch\"", "\"more\": 1, \"epoch\"", .invalidArgument),
            ("\"epoch\": 1", "\"epoch\": 0", .invalidArgument), ("\"epoch\": 1", "\"epoch\": -1", .invalidArgument),
            ("\"counter\": \"1\"", "\"counter\": \"18446744073709551616\"", .invalidArgument),
            ("\"counter\": \"1\"", "\"counter\": \"+1\"", .invalidArgument),
        ]
        for (old, new, code) in changes {
            try scratch.write(Array(made.replacing(old, with: new).utf8), "notes.freshness")
            #expect(throws: SealedFileError(code, "")) { try state(database) }
        }
        // One digit of the digest: no such page 1 was recorded.
        let last = try #require(made.lastIndex { $0.isHexDigit })
        let other = made[last] == "0" ? "1" : "0"
        try scratch.write(Array(made.replacingCharacters(at: last, with: other).utf8), "notes.freshness")
        #expect(try rollback(database) != nil)
    }

    @Test("the database itself is no place for its record")
    func databaseAsRecord() throws {
        let database = try database()
        #expect(throws: SealedFileError(.invalidArgument, "")) {
            try database.recordFreshness(at: scratch.path("test.db"))
        }
        #expect(try database.connect().integer("SELECT count(*) FROM notes") == 20)
    }
}

extension String {
    fileprivate func replacingCharacters(at index: String.Index, with text: String) -> String {
        String(self[..<index]) + text + String(self[self.index(after: index)...])
    }
}
