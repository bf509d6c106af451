import CSQLite
import Foundation
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("restore")
struct RestoreTests {
    private let scratch: SealedScratch

    init() throws { scratch = try SealedScratch() }

    private func makeBackup(rows: Int = 40) throws {
        let database = try scratch.create("source.db")
        try database.connect().fillNotes(rows)
        _ = try database.backup(to: scratch.path("backup.db"))
    }

    private func restore(replacing: Bool = false, seed: UInt8 = 7) throws -> RestoreReport {
        try SealedDatabase.restore(
            backup: scratch.path("backup.db"), key: .rawKey(testKey(seed)), to: scratch.path("live.db"),
            options: RestoreOptions(replacesExisting: replacing))
    }

    private func rowCount(_ name: String = "live.db") throws -> Int64 {
        try scratch.open(name).connect().integer("SELECT count(*) FROM notes")
    }

    @Test("a backup is put in an empty place, with its slots and an id of its own")
    func emptyPlace() throws {
        try makeBackup()
        let backupBytes = try scratch.bytes("backup.db")
        let report = try restore()
        #expect(report.keptPaths.isEmpty)
        #expect(try rowCount() == 40)
        #expect(try scratch.open("live.db").databaseID == report.backup.databaseID)
        #expect(try scratch.open("backup.db").databaseID != report.backup.databaseID)
        #expect(try scratch.bytes("backup.db") == backupBytes)
    }

    @Test("the wrong key restores nothing")
    func wrongKey() throws {
        try makeBackup()
        #expect(throws: SealedFileError(.wrongKey, "")) { try restore(seed: 8) }
        #expect(!scratch.exists("live.db"))
    }

    @Test("a damaged backup restores nothing")
    func damagedBackup() throws {
        try makeBackup(rows: 500)
        var bytes = try scratch.bytes("backup.db")
        bytes[HeaderLayout.regionByteCount + 5 * 1024 + 7] ^= 1
        try scratch.write(bytes, "backup.db")
        let error = #expect(throws: SealedFileError.self) { try restore() }
        #expect(error?.code == .damagedPage)
        #expect(!scratch.exists("live.db"))
    }

    @Test(
        "what is in the place is refused, also a log or a journal alone",
        arguments: ["", "-wal", "-journal", "-rotate"])
    func takenPlace(suffix: String) throws {
        try makeBackup()
        try scratch.write(Array("anything".utf8), "live.db" + suffix)
        let error = #expect(throws: SealedFileError.self) { try restore() }
        #expect(error?.code == .exists)
        #expect(error?.reason.contains("live.db\(suffix)\"") == true)
        #expect(try scratch.bytes("live.db" + suffix) == Array("anything".utf8))
    }

    @Test("what is replaced is kept whole, its log with it")
    func keepsOld() throws {
        try makeBackup()
        // A crash left a log that holds the newest rows.
        do {
            let database = try scratch.create("work.db", mode: "WAL")
            let connection = try database.connect()
            connection.keepLogOnClose()
            try connection.fillNotes(7)
            try scratch.copy("work.db", to: "live.db")
        }
        let report = try restore(replacing: true)
        #expect(try rowCount() == 40)
        #expect(report.keptPaths.count == 2)
        let kept = String(try #require(report.keptPaths.first?.split(separator: "/").last))
        #expect(kept.hasPrefix("live.db.replaced-"))
        #expect(report.keptPaths.last?.hasSuffix(kept + "-wal") == true)
        #expect(try rowCount(kept) == 7)
        #expect(!scratch.exists("live.db-wal"))
        #expect(try scratch.open("live.db").verify().isSound)
    }

    @Test("a file that no key opens any more can be replaced, and keeps its mode")
    func replacesRubbish() throws {
        try makeBackup()
        try scratch.write([UInt8](repeating: 0x55, count: 20000), "live.db")
        #expect(unsafe chmod(scratch.path("live.db"), 0o640) == 0)
        let report = try restore(replacing: true)
        #expect(report.keptPaths.count == 1)
        #expect(try rowCount() == 40)
        let mode = try FileManager.default.attributesOfItem(atPath: scratch.path("live.db"))[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test("a database that is open in WAL mode isn't replaced")
    func openDatabase() throws {
        try makeBackup()
        let live = try scratch.create("live.db", mode: "WAL")
        let connection = try live.connect()
        try connection.fillNotes(3)
        #expect(throws: SealedFileError(.busy, "")) { try restore(replacing: true) }
        #expect(try connection.integer("SELECT count(*) FROM notes") == 3)
        #expect(!scratch.names.contains { $0.contains("replaced") || $0.contains(NewFile.marker) })
    }

    @Test("an old log or journal beside a restored file, as a crash in mid-restore leaves it, changes nothing")
    func staleSidecars() throws {
        try makeBackup()
        for mode in ["WAL", "DELETE"] {
            let database = try scratch.create("other-\(mode).db", mode: mode)
            let connection = try database.connect()
            connection.keepLogOnClose()
            try connection.fillNotes(300)
            if mode == "DELETE" { try connection.execute("PRAGMA cache_size=2; BEGIN; UPDATE notes SET body = 'y'") }
            let suffix = mode == "WAL" ? "-wal" : "-journal"
            try #require(try !scratch.bytes("other-\(mode).db\(suffix)").isEmpty)
            scratch.remove("live.db")
            _ = try restore()
            try scratch.write(try scratch.bytes("other-\(mode).db\(suffix)"), "live.db\(suffix)")
            #expect(try rowCount() == 40)
            #expect(try scratch.open("live.db").verify().isSound)
            for name in ["live.db-wal", "live.db-journal", "live.db-shm"] { scratch.remove(name) }
        }
    }

    @Test("the backup itself and a symbolic link are no place for it")
    func oddPlaces() throws {
        try makeBackup()
        #expect(throws: SealedFileError(.invalidArgument, "")) {
            try SealedDatabase.restore(
                backup: scratch.path("backup.db"), key: .rawKey(testKey()), to: scratch.path("backup.db"),
                options: RestoreOptions(replacesExisting: true))
        }
        #expect(unsafe symlink(scratch.path("source.db"), scratch.path("live.db")) == 0)
        #expect(throws: SealedFileError(.invalidArgument, "")) { try restore(replacing: true) }
        #expect(try rowCount("source.db") == 40)
    }
}
