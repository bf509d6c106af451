import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("journal modes")
struct JournalModeTests {
    private let folder: Folder
    init() throws { folder = try Folder() }

    private static let rowCount = 5000

    @Test(
        "rows live through spills, savepoints, rollbacks, VACUUM and a new process's keys",
        arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL", "MEMORY"])
    func keepsRows(mode: String) throws {
        let sealed = try folder.create(mode: mode, pageSize: 4096, rows: 0)
        try work(on: try sealed.connect(), mode: mode)
        try sealed.connect().execute("VACUUM INTO '\(sealed.uri(forCopyAt: folder.file("copy.db")))'")
        sealed.lock()
        for name in ["a.db", "copy.db"] {
            let connection = try folder.open(name).connect()
            #expect(try connection.integer("SELECT count(*) FROM notes") == Self.rowCount)
            try connection.checkIntegrity()
        }
    }

    private func work(on connection: RawConnection, mode: String) throws {
        #expect(try connection.text("PRAGMA journal_mode=\(mode)") == mode.lowercased())
        try connection.execute("CREATE INDEX by_body ON notes(body)")
        try connection.addNotes(Self.rowCount)
        try connection.execute(
            """
            PRAGMA cache_size=5; BEGIN; UPDATE notes SET body = body || 'x' WHERE id % 3 = 0;
            SAVEPOINT s; DELETE FROM notes WHERE id % 7 = 0; ROLLBACK TO s; COMMIT
            """)
        try connection.execute("BEGIN; DELETE FROM notes; ROLLBACK")
        try connection.checkIntegrity()
        try connection.execute("VACUUM")
        try connection.checkIntegrity()
    }
}
