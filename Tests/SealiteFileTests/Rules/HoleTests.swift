import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import Testing

@testable import SealiteFile

@Suite("pages that SQLite never writes")
struct HoleTests {
    /// A file with freed leaves that were never written: SQLite skips pages that a transaction both adds and frees.
    private func holey(_ folder: Folder, mode: String) throws -> SealedDatabase {
        let database = try folder.create(mode: mode, rows: 10)
        let connection = try database.connect()
        try connection.execute(
            """
            PRAGMA secure_delete = OFF;
            BEGIN; CREATE TABLE gone(x); INSERT INTO gone VALUES (zeroblob(60000)); DROP TABLE gone;
            INSERT INTO notes(body) VALUES (hex(randomblob(20000))); COMMIT;
            """)
        return database
    }

    @Test(
        "pages that SQLite never writes are sealed as empty ones where a VFS above lets the file grow, as SQLite's crash tests do"
    )
    func growth() throws {
        let folder = try Folder()
        do {
            let connection = try folder.create(rows: 10).connect()
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; DELETE FROM notes WHERE id = 1")
            var file: UnsafeMutablePointer<sqlite3_file>?
            #expect(
                unsafe sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK)
            let methods = unsafe try #require(unsafe file?.pointee.pMethods)
            var size: sqlite3_int64 = 0
            #expect(unsafe methods.pointee.xFileSize(file, &size) == SQLITE_OK)
            #expect(unsafe methods.pointee.xTruncate(file, size + 3 * 1024) == SQLITE_OK)
            var page = [UInt8](repeating: 1, count: 1024)
            #expect(unsafe methods.pointee.xRead(file, &page, 1024, size + 1024) == SQLITE_OK)
            #expect(page.allSatisfy { $0 == 0 })
            try connection.execute("COMMIT")
        }
        let report = try folder.open().verify()
        #expect(report.isSound && report.pages.neverWrittenCount == 0)
    }

    @Test(
        "pages that SQLite never writes are sealed as empty ones, so that SQLite's backup reads them",
        arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
    func backup(mode: String) throws {
        let folder = try Folder()
        let expected = try holey(folder, mode: mode).connect().fingerprint()
        // A process of its own would see no more than this: what was kept in memory is gone.
        let source = try folder.open().connect()
        #expect(try source.integer("PRAGMA freelist_count") > 20)
        let copy = try folder.create("copy.db", rows: 0).connect()
        let backup = unsafe sqlite3_backup_init(copy.handle, "main", source.handle, "main")
        #expect(unsafe sqlite3_backup_step(backup, -1) == SQLITE_DONE)
        #expect(unsafe sqlite3_backup_finish(backup) == SQLITE_OK)
        #expect(try copy.fingerprint() == expected)
        try copy.checkIntegrity()
        #expect(try folder.open().verify().isSound)
    }

    @Test("no page of zeros is left in the file, and a hint of its size makes none")
    func zeros() throws {
        let folder = try Folder()
        do {
            let database = try holey(folder, mode: "DELETE")
            let connection = try database.connect()
            var (size, chunk): (sqlite3_int64, CInt) = (1 << 20, 1 << 16)
            #expect(
                unsafe sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_CHUNK_SIZE, &chunk) == SQLITE_OK)
            #expect(unsafe sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_SIZE_HINT, &size) == SQLITE_OK)
            try connection.addNotes(50)
        }
        let bytes = try RawFile.read(folder.file("a.db"))
        #expect(bytes.count < 1 << 20 && (bytes.count - 8192) % 1024 == 0)
        for start in stride(from: 8192, to: bytes.count, by: 1024) {
            if bytes[start..<start + 1024].allSatisfy({ $0 == 0 }) {
                Issue.record("page \((start - 8192) / 1024 + 1) is zeros")
            }
        }
    }
}
