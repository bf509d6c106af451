import CSQLite
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

/// A writer that holds the write lock of a rollback journal until it is told to leave rollback mode.
private final class SwitchingWriter {
    let connection: RawConnection

    init(_ connection: RawConnection) throws {
        self.connection = connection
        try connection.execute("BEGIN IMMEDIATE")
        try connection.addNotes(1)
    }

    /// Commits and switches to WAL mode. Returns false if that fails.
    func switchToWAL() -> Bool {
        do {
            try connection.execute("COMMIT")
            #expect(try connection.text("PRAGMA journal_mode=WAL") == "wal")
            try connection.addNotes(1)
            return true
        } catch {
            Issue.record(error)
            return false
        }
    }
}

@Suite("the locks of a rotation")
struct RotationLockTests {
    private let folder: Folder
    init() throws { folder = try Folder() }

    @Test(
        "a task whose database is switched to WAL mode while it waits for a lock runs under the checkpoint lock",
        arguments: [false, true])
    func switched(changesHeader: Bool) throws {
        let database = try folder.create(mode: "DELETE", rows: 5)
        let writer = try SwitchingWriter(try database.connect(busyTimeout: .zero))
        let rotator = try database.connect()
        unsafe sqlite3_busy_handler(
            rotator.handle,
            { argument, count in
                guard count == 0, let argument = unsafe argument else { return 0 }
                let writer = unsafe Unmanaged<SwitchingWriter>.fromOpaque(argument).takeUnretainedValue()
                return writer.switchToWAL() ? 1 : 0
            }, Unmanaged.passUnretained(writer).toOpaque())
        var checkpointsKeptOut: [Bool] = []
        let task = FileTask { (_, _) throws(SealedFileError) in
            try writer.connection.query("PRAGMA wal_checkpoint(PASSIVE)") { (row) throws(SealedFileError) in
                checkpointsKeptOut.append(row.integer(0) != 0)
            }
        }
        if changesHeader {
            try rotator.withDatabaseQuiet(task, timeout: .seconds(1))
        } else {
            try rotator.excludingDatabaseWriters(task, timeout: .seconds(1))
        }
        #expect(checkpointsKeptOut == [true])
        #expect(try rotator.integer("SELECT count(*) FROM notes") == 7)
        withExtendedLifetime(writer) {}
    }
}
