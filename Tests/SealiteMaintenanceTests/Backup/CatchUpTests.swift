import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

/// Backups of a database with a rollback journal, with somebody at work at every step.
@Suite("backup beside commits in rollback mode")
struct CatchUpTests {
    private let folder: Folder
    private let database: SealedDatabase
    private static let rows = 900

    init() throws {
        folder = try Folder()
        database = try folder.create(mode: "DELETE", rows: 0)
        try database.connect().execute(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, number INTEGER, filler BLOB);
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(Self.rows))
            INSERT INTO t SELECT x, 0, randomblob(700) FROM n
            """)
    }

    /// Makes a backup, with `work` between any two steps of the copying.
    private func backup(_ work: (Int) throws -> Void) throws -> BackupReport {
        var (step, failure) = (0, nil as (any Error)?)
        let report = try withoutActuallyEscaping(work) { work in
            try database.backup(to: folder.file("copy.db")) { progress in
                guard progress.phase == .copying else { return true }
                step += 1
                do { try work(step) } catch { failure = error }
                return failure == nil
            }
        }
        if let failure { throw failure }
        #expect(step > Self.rows / CatchUpPass.pagesPerStep)
        return report
    }

    private func checkedCopy() throws -> RawConnection {
        let copy = try folder.open("copy.db")
        #expect(try copy.verify().isSound)
        return try copy.connect()
    }

    @Test("a commit at every step: the backup is the state of the last one, and none of them waited for a copy")
    func everyStep() throws {
        let writer = try database.connect(busyTimeout: .zero)
        var (last, refused) = (0, 0)
        let report = try backup { step in
            do {
                // Every page of the table changes.
                try writer.execute("UPDATE t SET number = \(step)")
                last = step
            } catch let error as SealedFileError where error.code == .busy {
                refused += 1
            }
        }
        #expect(report.catchUpCount > 0 && report.integrity == .ok)
        // Held up by the last pass only.
        #expect(refused > 0 && refused <= Self.rows / CatchUpPass.pagesPerStep + 2 && last > refused)
        let copy = try checkedCopy()
        #expect(try copy.integer("SELECT count(DISTINCT number) FROM t") == 1)
        #expect(try copy.integer("SELECT max(number) FROM t") == Int64(last))
        #expect(try copy.integer("SELECT count(*) FROM t") == Int64(Self.rows))
    }

    @Test("while the copying waits for a lock, the reported number of pages stays")
    func waiting() throws {
        let writer = try database.connect()
        var (told, failure) = ([Int](), nil as (any Error)?)
        _ = try database.backup(to: folder.file("copy.db")) { progress in
            guard progress.phase == .copying else { return true }
            told.append(progress.completed)
            do {
                if told.count == 1 { try writer.execute("BEGIN EXCLUSIVE") }
                // More steps than two passes without a lock have.
                if told.count == 20 { try writer.execute("ROLLBACK") }
            } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        #expect(told.count > 20 && told.allSatisfy { $0 > 0 })
    }

    @Test("a transaction that has written to the file and is taken back leaves nothing in the backup")
    func rollback() throws {
        let writer = try database.connect(busyTimeout: .zero)
        try writer.execute("PRAGMA cache_size=5")
        let before = try writer.fingerprint("(SELECT id, hex(filler) AS body FROM t)")
        _ = try backup { step in
            switch step {
            case 1: try writer.execute("BEGIN; UPDATE t SET filler = randomblob(700)")
            case 3: try writer.execute("ROLLBACK")
            default: break
            }
        }
        #expect(try checkedCopy().fingerprint("(SELECT id, hex(filler) AS body FROM t)") == before)
    }

    @Test("a database that becomes smaller or larger meanwhile", arguments: [true, false])
    func size(shrinks: Bool) throws {
        let writer = try database.connect()
        let report = try backup { step in
            guard step == 2 else { return }
            try writer.execute(
                shrinks ? "DELETE FROM t WHERE id > 100; VACUUM" : "INSERT INTO t SELECT id + 10000, 1, filler FROM t")
        }
        let count = try writer.integer("PRAGMA page_count")
        #expect(report.pageCount == Int(count))
        #expect(RawFile.byteCount(folder.file("copy.db")) == 8192 + Int(count) * 1024)
        #expect(try checkedCopy().integer("SELECT count(*) FROM t") == (shrinks ? 100 : 2 * Int64(Self.rows)))
    }

    @Test("keys that are rotated meanwhile")
    func rotation() throws {
        _ = try backup { step in
            if step == 2 { _ = try KeyRotation(of: database).run() }
        }
        #expect(try checkedCopy().integer("SELECT count(*) FROM t") == Int64(Self.rows))
        #expect(try folder.open("copy.db").publicHeader().epoch == 1)
    }

    @Test("a change to WAL mode meanwhile, with commits that are in the log only")
    func changeOfMode() throws {
        let writer = try database.connect()
        _ = try backup { step in
            guard step == 2 else { return }
            #expect(try writer.text("PRAGMA journal_mode=WAL") == "wal")
            try writer.execute("UPDATE t SET number = 77 WHERE id % 2 = 0")
        }
        #expect(try checkedCopy().integer("SELECT count(*) FROM t WHERE number = 77") == Int64(Self.rows / 2))
    }
}
