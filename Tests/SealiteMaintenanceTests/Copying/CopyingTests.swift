import CSQLite
import Glibc
import SealiteCrypto
import SealiteFileTestSupport
import Synchronization
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("encrypt and decrypt")
struct CopyingTests {
    private let folder = try? Folder()

    private func file(_ name: String) throws -> String { try #require(folder).file(name) }

    /// Seals, compares, unseals, compares again. Returns the report of the sealing.
    @discardableResult
    private func roundTrip(_ plain: String, options: EncryptionOptions = EncryptionOptions()) throws -> CopyReport {
        let before = try Content.of(try PlainDatabase.connect(plain))
        let sealed = try file("sealed.db")
        let made = try SealedDatabase.encrypt(plain: plain, to: sealed, slot: PlainDatabase.slot, options: options)
        #expect(try Content.of(try made.database.connect()) == before)
        made.database.lock()
        let again = try SealedDatabase.open(sealed, key: .rawKey(SecretBytes(PlainDatabase.key)))
        #expect(try again.connect().text("PRAGMA integrity_check") == "ok")
        let back = try file("back.db")
        let report = try again.decrypt(to: back)
        #expect(report.rowCount == made.report.rowCount)
        let plainAgain = try PlainDatabase.connect(back)
        #expect(try Content.of(plainAgain) == before)
        #expect(try plainAgain.text("PRAGMA integrity_check") == "ok")
        return made.report
    }

    @Test("everything that a database can hold comes through, rowids included", arguments: ["DELETE", "WAL"])
    func everything(mode: String) throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(plain, settings: "PRAGMA journal_mode=\(mode)", PlainDatabase.everything)
        let report = try roundTrip(plain)
        #expect(report.journalMode == mode.lowercased())
        #expect(report.tableCount > 15)
    }

    @Test("encodings are kept, with text that isn't valid in them", arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func encodings(encoding: String) throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(
            plain, settings: "PRAGMA encoding='\(encoding)'",
            "CREATE TABLE t(a); INSERT INTO t VALUES ('grüße 🗝'), (CAST(x'ff41d8' AS TEXT)), (CAST(x'' AS TEXT))")
        try roundTrip(plain)
    }

    @Test("every auto-vacuum mode is kept, with free pages in the source", arguments: [0, 1, 2])
    func autoVacuum(mode: Int) throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(
            plain, settings: "PRAGMA auto_vacuum=\(mode)",
            "CREATE TABLE t(a); INSERT INTO t SELECT zeroblob(9000) FROM pragma_function_list LIMIT 50;"
                + "DELETE FROM t WHERE rowid % 3 = 0")
        try roundTrip(plain)
    }

    @Test("page sizes are kept, and 512 bytes become 1024", arguments: [512, 1024, 4096, 65536], ["DELETE", "WAL"])
    func pageSizes(size: Int, mode: String) throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(
            plain, settings: "PRAGMA page_size=\(size); PRAGMA journal_mode=\(mode)", PlainDatabase.everything)
        let report = try roundTrip(plain)
        #expect(report.sourcePageSize == size)
        #expect(report.pageSize == max(1024, size))
    }

    @Test("another page size can be asked for", arguments: ["DELETE", "WAL"])
    func otherPageSize(mode: String) throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(plain, settings: "PRAGMA journal_mode=\(mode)", PlainDatabase.everything)
        #expect(try roundTrip(plain, options: EncryptionOptions(pageSize: 8192)).pageSize == 8192)
    }

    @Test(
        "a plain copy reserves nothing in its pages, and is no larger than its twin", arguments: [1024, 4096, 65536],
        [0, 1, 2])
    func reservesNothing(pageSize: Int, autoVacuum: Int) throws {
        let plain = try file("plain.db")
        let mode = autoVacuum == 1 ? "WAL" : "DELETE"
        try PlainDatabase.make(
            plain,
            settings: "PRAGMA page_size=\(pageSize); PRAGMA auto_vacuum=\(autoVacuum); PRAGMA journal_mode=\(mode)",
            PlainDatabase.everythingNamed + "; VACUUM")
        let before = try Content.of(try PlainDatabase.connect(plain))
        let made = try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot)
        #expect(made.report.reservedByteCount == 48)
        let report = try made.database.decrypt(to: try file("back.db"))
        #expect(report.reservedByteCount == 0)
        let bytes = try RawFile.read(try file("back.db"))
        #expect(bytes[20] == 0)
        #expect(bytes.count <= (try RawFile.read(plain)).count)
        let back = try PlainDatabase.connect(try file("back.db"))
        #expect(try Content.of(back) == before)
        #expect(try back.text("PRAGMA integrity_check") == "ok")
        #expect(try back.integer("PRAGMA page_size") == Int64(pageSize))
        // What it was made from goes on working in it.
        try back.execute("INSERT INTO keyed DEFAULT VALUES; INSERT INTO words(body) VALUES ('more pages')")
        #expect(try back.integer("SELECT max(id) FROM keyed") == 201)
        #expect(try back.integer("SELECT count(*) FROM words WHERE words MATCH 'page'") == 2)
    }

    @Test("what can't be copied row by row is decrypted all the same, and the report says what stays reserved")
    func keepsReserve() throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(plain, PlainDatabase.everything)
        let before = try Content.of(try PlainDatabase.connect(plain))
        let made = try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot)
        #expect(try made.database.decrypt(to: try file("back.db")).reservedByteCount == 48)
        #expect(try Content.of(try PlainDatabase.connect(try file("back.db"))) == before)
        #expect(folder?.names == ["back.db", "plain.db", "sealed.db"])
    }

    @Test("a database whose only AUTOINCREMENT table was dropped is copied")
    func emptySequence() throws {
        let plain = try file("plain.db")
        let table = "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT)"
        try PlainDatabase.make(plain, "\(table); INSERT INTO t VALUES (7); CREATE TABLE u(b); DROP TABLE t")
        let made = try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot)
        // One of its own, made and dropped in the sealed file, comes back too.
        try made.database.connect().execute("\(table); DROP TABLE t; INSERT INTO u VALUES ('kept')")
        #expect(try made.database.decrypt(to: try file("back.db")).reservedByteCount == 0)
        let back = try PlainDatabase.connect(try file("back.db"))
        #expect(try back.text("SELECT b FROM u") == "kept")
        try back.execute("\(table); INSERT INTO t DEFAULT VALUES")
        #expect(try back.integer("SELECT seq FROM sqlite_sequence") == 1)
    }

    @Test("values that their columns would not take any more come through")
    func oddValues() throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(
            plain,
            """
            CREATE TABLE t(a, b); INSERT INTO t VALUES ('12', NULL), (x'31', 3.0);
            PRAGMA writable_schema=ON;
            UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a INTEGER, b)' WHERE name = 't'
            """)
        let before = try Content.of(try PlainDatabase.connect(plain))
        let made = try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot)
        #expect(try made.database.decrypt(to: try file("back.db")).reservedByteCount == 48)
        #expect(try Content.of(try PlainDatabase.connect(try file("back.db"))) == before)
    }

    @Test(
        "an empty database, of no bytes or of no tables, is sealed", arguments: ["", "CREATE TABLE t(a); DROP TABLE t"])
    func emptyDatabase(sql: String) throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(plain, sql)
        if sql.isEmpty { try RawFile.write([], to: plain) }
        #expect(try roundTrip(plain).rowCount == 0)
    }

    @Test("content that lies in the WAL alone is sealed, and neither file changes")
    func uncheckpointedWAL() throws {
        let plain = try file("plain.db")
        try makeUncheckpointed(plain)
        let before = try RawFile.read(plain) + RawFile.read(plain + "-wal")
        let made = try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot)
        #expect(try made.database.connect().text("SELECT a FROM t") == "only in the log")
        #expect(try RawFile.read(plain) + RawFile.read(plain + "-wal") == before)
    }

    private func makeUncheckpointed(_ path: String) throws {
        let writer = try PlainDatabase.connect(path)
        unsafe sealite_configure(writer.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        try writer.execute("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a)")
        try writer.execute("INSERT INTO t VALUES ('only in the log')")
    }

    @Test("a source that others have open goes on", arguments: ["DELETE", "WAL"])
    func sourceInUse(mode: String) throws {
        let plain = try file("plain.db")
        let writer = try PlainDatabase.connect(plain)
        try writer.execute("PRAGMA journal_mode=\(mode); CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let made = try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot)
        #expect(made.report.rowCount == 1)
        try writer.execute("INSERT INTO t VALUES ('later')")
        #expect(try writer.integer("SELECT count(*) FROM t") == 2)
    }

    @Test("a commit during the copy starts it over, and the copy holds it", arguments: ["DELETE", "WAL"])
    func commitDuringCopy(mode: String) throws {
        let plain = try file("plain.db")
        let writer = try PlainDatabase.connect(plain)
        try writer.execute("PRAGMA journal_mode=\(mode); CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        var isFirst = true
        let made = try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot) {
            now in
            if isFirst { try? writer.execute("INSERT INTO t VALUES ('meanwhile')") }
            isFirst = false
            return true
        }
        #expect(made.report.rowCount == 2)
    }

    @Test("a source that never rests is given up as busy")
    func restlessSource() throws {
        let plain = try file("plain.db")
        let writer = try PlainDatabase.connect(plain)
        try writer.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a)")
        let failure = #expect(throws: SealedFileError.self) {
            try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot) { _ in
                (try? writer.execute("INSERT INTO t VALUES (1)")) != nil
            }
        }
        #expect(failure?.code == .busy)
        #expect(RawFile.exists(try file("sealed.db")) == false)
    }

    @Test("a sealed database that never rests isn't copied into a plain one, and the error names a backup")
    func restlessSealed() throws {
        let sealed = try SealedDatabase.create(try file("sealed.db"), slot: PlainDatabase.slot)
        let writer = try sealed.connect()
        try writer.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a)")
        let failure = #expect(throws: SealedFileError.self) {
            try sealed.decrypt(to: try file("plain.db")) { _ in
                try? writer.execute("INSERT INTO t VALUES (1)")
                return true
            }
        }
        #expect(failure?.code == .busy && failure?.hint == MaintenanceRemedy.copyBackup.hint)
        #expect(failure?.hint?.contains("backup") == true)
    }

    @Test("a source whose log can't be opened isn't called busy, for waiting doesn't help")
    func unopenableLog() throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(plain, settings: "PRAGMA journal_mode=WAL", "CREATE TABLE t(a)")
        #expect(unsafe mkdir(plain + "-wal", 0o700) == 0)
        let failure = #expect(throws: SealedFileError.self) {
            try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot)
        }
        #expect(failure?.code == .inputOutput)
        #expect(RawFile.exists(try file("sealed.db")) == false)
    }

    @Test("a file that exists is never touched, and nothing is left beside it")
    func refusesToOverwrite() throws {
        let (plain, taken) = (try file("plain.db"), try file("taken.db"))
        try PlainDatabase.make(plain, "CREATE TABLE t(a)")
        try RawFile.write([1, 2, 3], to: taken)
        let failure = #expect(throws: SealedFileError.self) {
            try SealedDatabase.encrypt(plain: plain, to: taken, slot: PlainDatabase.slot)
        }
        #expect(failure?.code == .exists)
        #expect(try RawFile.read(taken) == [1, 2, 3])
        #expect(folder?.names == ["plain.db", "taken.db"])
    }

    @Test("the copy has mode 0600 and brings no sidecars", arguments: ["DELETE", "WAL"])
    func modeAndSidecars(mode: String) throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(plain, settings: "PRAGMA journal_mode=\(mode)", "CREATE TABLE t(a)")
        let old = umask(0)
        defer { umask(old) }
        let made = try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot)
        _ = try made.database.decrypt(to: try file("back.db"))
        #expect(folder?.names == ["back.db", "plain.db", "sealed.db"])
        for name in ["sealed.db", "back.db"] {
            var status = stat()
            #expect(unsafe stat(try file(name), &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
    }

    @Test("a copy that is given up leaves nothing behind", arguments: ["copying", "comparing"])
    func cancelled(phase: String) throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(plain, PlainDatabase.everything)
        let failure = #expect(throws: SealedFileError.self) {
            try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot) {
                $0.phase.rawValue != phase
            }
        }
        #expect(failure?.code == .cancelled)
        #expect(folder?.names == ["plain.db"])
    }

    @Test("progress is told to the end")
    func progress() throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(plain, PlainDatabase.everything)
        var told: [CopyProgress] = []
        _ = try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot) {
            told.append($0)
            return true
        }
        #expect(told.first?.phase == .copying)
        #expect(told.last?.phase == .comparing && told.last?.completed == told.last?.total)
    }

    @Test("a source that is no plain database is refused with its reason")
    func wrongSources() throws {
        func code(_ name: String) throws -> SealedFileError.Code? {
            #expect(throws: SealedFileError.self) {
                try SealedDatabase.encrypt(plain: try file(name), to: try file("out.db"), slot: PlainDatabase.slot)
            }?.code
        }
        try RawFile.write(Array(repeating: 0x41, count: 5000), to: try file("noise.db"))
        _ = try SealedDatabase.create(try file("sealed.db"), slot: PlainDatabase.slot)
        #expect(try code("noise.db") == .notSealed)
        #expect(try code("sealed.db") == .refused)
        #expect(try code("absent.db") == .noSuchFile)
        #expect(folder?.names == ["noise.db", "sealed.db"])
    }

    @Test("a path with quotes and percent signs is a path")
    func oddPaths() throws {
        let plain = try file("it's %41 \"plain\"?.db")
        try PlainDatabase.make(plain, "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let out = try file("o'ut #&%00.db")
        _ = try SealedDatabase.encrypt(plain: plain, to: out, slot: PlainDatabase.slot)
        #expect(SealedDatabase.isSealed(out))
    }

    @Test("what a crash left is removed by the next attempt, and what another process writes is not")
    func leftovers() throws {
        let path = try file("new.db")
        let dead = try file(".new.db.sealite-tmp-0123456789abcdef")
        for suffix in ["", "-wal"] { try RawFile.write([0], to: dead + suffix) }
        try RawFile.write([0], to: try file(".new.db.sealite-tmp-not-ours"))
        let alive = try NewFile.$allowsDrafts.withValue(false) { try NewFile(path) }
        #expect(folder?.names.count == 2)
        #expect(AbandonedFiles.list(for: path).isEmpty)
        let other = try NewFile(path)
        #expect(RawFile.exists(alive.temporaryPath))
        try other.publish()
        #expect(throws: SealedFileError.self) { try alive.publish() }
    }

    @Test("a temporary file that another process takes for a leftover, before it is locked, is made anew")
    func takenForLeftover() throws {
        let path = try file("new.db")
        let cleared = Atomic<Int>(0)
        try NewFile.$onCreation.withValue({ temporary in
            guard cleared.add(1, ordering: .relaxed).newValue == 1 else { return }
            AbandonedFiles.remove(for: path)
            #expect(!RawFile.exists(temporary))
        }) {
            let made = try NewFile.$allowsDrafts.withValue(false) { try NewFile(path) }
            try made.write([1, 2, 3])
            try made.publish()
        }
        #expect(cleared.load(ordering: .relaxed) == 2)
        #expect(try RawFile.read(path) == [1, 2, 3])
    }

    @Test("a pipe that is named like a leftover doesn't hold anyone up")
    func pipeAsLeftover() throws {
        let path = try file("new.db")
        let pipe = try file(".new.db.sealite-tmp-0123456789abcdef")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        try NewFile(path).publish()
        #expect(RawFile.exists(path) && !RawFile.exists(pipe))
    }
}
