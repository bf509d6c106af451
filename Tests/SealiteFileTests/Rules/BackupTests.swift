import CSQLite
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

/// Copies the main database of one connection into that of another. https://sqlite.org/c3ref/backup_finish.html
private func backup(_ source: RawConnection, into destination: RawConnection, pagesPerStep: CInt = -1) -> CInt {
    guard let copy = unsafe sqlite3_backup_init(destination.handle, "main", source.handle, "main") else {
        return unsafe sqlite3_errcode(destination.handle)
    }
    var code = SQLITE_OK
    while code == SQLITE_OK { code = unsafe sqlite3_backup_step(copy, pagesPerStep) }
    let finished = unsafe sqlite3_backup_finish(copy)
    return code == SQLITE_DONE ? finished : code
}

@Suite("SQLite's own backup")
struct BackupTests {
    @Test("from a plain file into a sealed one is refused, and the destination unharmed", arguments: ["DELETE", "WAL"])
    func fromPlain(mode: String) throws {
        let folder = try Folder()
        let plain = try RawConnection(uri: "file:\(folder.file("plain.db"))", path: "plain.db", flags: 6)
        try plain.execute("PRAGMA page_size = 1024; CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT)")
        try plain.addNotes(500)
        let database = try folder.create(mode: mode)
        let before = try database.connect().fingerprint()
        for step: CInt in [-1, 10] {
            let connection = try database.connect()
            #expect(backup(plain, into: connection, pagesPerStep: step) != SQLITE_OK)
        }
        let connection = try folder.open().connect()
        #expect(try connection.fingerprint() == before)
        try connection.checkIntegrity()
        try connection.addNotes(1)
    }

    @Test("between sealed files is fine, whatever their keys", arguments: ["DELETE", "WAL"])
    func betweenSealed(mode: String) throws {
        let folder = try Folder()
        let source = try folder.create("a.db", mode: mode, seed: 1, rows: 300).connect()
        do {
            let destination = try folder.create("b.db", mode: mode, seed: 2, rows: 700).connect()
            #expect(backup(source, into: destination, pagesPerStep: 7) == SQLITE_OK)
        }
        let copy = try folder.open("b.db", seed: 2).connect()
        #expect(try copy.fingerprint() == source.fingerprint())
        try copy.checkIntegrity()
    }

    @Test("of another page size is refused, and the destination unharmed")
    func otherPageSize() throws {
        let folder = try Folder()
        let source = try folder.create("a.db", pageSize: 4096).connect()
        let before: String
        do {
            let destination = try folder.create("b.db", pageSize: 1024).connect()
            before = try destination.fingerprint()
            #expect(backup(source, into: destination) != SQLITE_OK)
        }
        let connection = try folder.open("b.db").connect()
        #expect(try connection.fingerprint() == before)
        try connection.checkIntegrity()
    }

    @Test(
        "SQLite's own backup reads every page, those never written and those freed without being wiped too",
        arguments: ["DELETE", "WAL"], [AutoVacuum.none, .full, .incremental])
    func holes(mode: String, autoVacuum: AutoVacuum) throws {
        let folder = try Folder()
        do {
            let connection = try folder.create(mode: mode, rows: 400, autoVacuum: autoVacuum).connect()
            try connection.execute("PRAGMA secure_delete = OFF; CREATE TABLE more(x)")
            // Pages are taken from the end of the file and freed in the same transaction: they are never written.
            try connection.execute(
                """
                BEGIN; INSERT INTO more SELECT randomblob(900) FROM notes; DELETE FROM more;
                INSERT INTO more SELECT randomblob(3000) FROM notes LIMIT 50; DELETE FROM more WHERE rowid < 40; COMMIT
                """)
            try connection.execute("DELETE FROM notes WHERE id % 3 > 0; DROP TABLE more")
            try connection.execute("BEGIN; CREATE TABLE last(x); INSERT INTO last VALUES (zeroblob(200000)); COMMIT")
            try connection.execute("DROP TABLE last")
            if mode == "WAL" { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        }
        let source = try folder.open().connect()
        let copy = try folder.create("b.db", rows: 0).connect()
        #expect(backup(source, into: copy) == SQLITE_OK)
        #expect(try copy.fingerprint() == source.fingerprint())
        try copy.checkIntegrity()
        try source.execute("VACUUM")
        try source.checkIntegrity()
    }
}
