import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("reading ahead")
struct ReadAheadTests {
    /// A cache that holds next to nothing, so that every page comes from the file.
    private static let smallCache = "PRAGMA cache_size = 10"

    private func makeNotes(_ mode: String, rows: Int = 3000) throws -> Folder {
        let folder = try Folder()
        let connection = try folder.create(mode: mode, rows: rows).connect()
        _ = try connection.text("PRAGMA wal_checkpoint(TRUNCATE)")
        return folder
    }

    @Test("a scan reads many pages at a time, single reads don't", arguments: ["DELETE", "WAL"])
    func fewerReads(mode: String) throws {
        let folder = try makeNotes(mode)
        let disk = try MortalDisk()
        let connection = try folder.open(vfs: disk.choice).connect()
        try connection.execute(Self.smallCache)
        let pageCount = try connection.integer("PRAGMA page_count")
        func reads(_ body: () throws -> Void) throws -> [FileOperation] {
            try disk.record(body).filter { $0.kind == .read && $0.byteCount >= 1024 }
        }
        let scan = try reads { _ = try connection.fingerprint() }
        #expect(scan.count * 4 < Int(pageCount))
        let single = try reads {
            for id in stride(from: 1, to: 3000, by: 300) {
                _ = try connection.integer("SELECT length(body) FROM notes WHERE id = \(id)")
            }
        }
        #expect(single.allSatisfy { $0.byteCount == 1024 })
    }

    @Test("a scan sees what its own connection changes before it", arguments: ["DELETE", "WAL"])
    func ownChanges(mode: String) throws {
        let folder = try makeNotes(mode)
        let connection = try folder.open().connect()
        try connection.execute("\(Self.smallCache); PRAGMA wal_autocheckpoint = 0; BEGIN")
        var seen = 0
        try connection.query("SELECT id, body FROM notes NOT INDEXED ORDER BY id") { (row) throws(SealedFileError) in
            let id = row.integer(0)
            // Every row is changed some 30 pages before the scan gets there, so that the change has left the cache.
            if id % 100 == 0 {
                try connection.execute("UPDATE notes SET body = 'new' || id WHERE id = \(id + 100)")
                try connection.execute("UPDATE notes SET body = body WHERE id < 60")
            }
            if id > 100, id % 100 == 0, row.text(1) == "new\(id)" { seen += 1 }
        }
        try connection.execute("COMMIT")
        #expect(seen == 29)
        #expect(try folder.open().connect().text("PRAGMA integrity_check") == "ok")
    }

    @Test("each transaction reads anew what others have committed", arguments: ["DELETE", "WAL"])
    func othersChanges(mode: String) throws {
        let folder = try makeNotes(mode)
        let (reader, writer) = (try folder.open().connect(), try folder.open().connect())
        try reader.execute(Self.smallCache)
        for round in 0..<20 {
            // The scan stops in the midst of pages that were fetched together.
            _ = try reader.integer("SELECT count(*) FROM (SELECT body FROM notes LIMIT \(500 + 37 * round))")
            try writer.execute("UPDATE notes SET body = '\(round) ' || substr(body, 1, 180) WHERE id % 3 = 0")
            if round % 2 == 0 { _ = try writer.text("PRAGMA wal_checkpoint(PASSIVE)") }
            #expect(try reader.fingerprint() == writer.fingerprint())
        }
    }

    @Test("a WAL checkpoint under a running scan changes nothing that the scan sees")
    func checkpointUnderScan() throws {
        let folder = try makeNotes("WAL")
        let (reader, writer) = (try folder.open().connect(), try folder.open().connect())
        let before = try reader.fingerprint()
        try reader.execute("\(Self.smallCache); BEGIN")
        _ = try reader.integer("SELECT count(*) FROM (SELECT body FROM notes LIMIT 900)")
        try writer.execute("UPDATE notes SET body = upper(body)")
        _ = try writer.text("PRAGMA wal_checkpoint(PASSIVE)")
        #expect(try reader.fingerprint() == before)
        try reader.execute("COMMIT")
        #expect(try reader.fingerprint() == writer.fingerprint())
    }

    @Test("a damaged page in the midst of a scan is named, and its neighbours are read", arguments: [40, 41, 47])
    func damage(page: Int) throws {
        let folder = try makeNotes("DELETE")
        try RawFile.flip(folder.file("a.db"), at: 8192 + (page - 1) * 1024 + 99)
        let connection = try folder.open().connect()
        let failure = #expect(throws: SealedFileError.self) { _ = try connection.fingerprint() }
        #expect(failure?.code == .damagedPage && failure?.page == UInt32(page))
        var read: Int64 = 0
        _ = try? connection.query("SELECT id FROM notes ORDER BY id") { (row) throws(SealedFileError) in
            read = row.integer(0)
        }
        #expect(read > 0)
        #expect(try connection.integer("SELECT max(id) FROM notes") == 3000)
    }

    @Test("a scan ends when its handle is locked, whatever was opened ahead", arguments: ["DELETE", "WAL"])
    func lockedMidway(mode: String) throws {
        let folder = try makeNotes(mode)
        let database = try folder.open()
        let connection = try database.connect()
        try connection.execute(Self.smallCache)
        var last: Int64 = 0
        let failure = #expect(throws: SealedFileError.self) {
            try connection.query("SELECT id, body FROM notes NOT INDEXED ORDER BY id") {
                (row) throws(SealedFileError) in
                last = row.integer(0)
                if last == 1500 { database.lock() }
            }
        }
        // Not far from the page with the row at which the handle was locked.
        #expect(failure?.code == .locked && (1500..<1520).contains(last))
    }

    @Test("a failing read under a scan is an error, or the scan goes on page by page", arguments: [1, 2, 5, 20])
    func failingReads(number: Int) throws {
        let folder = try makeNotes("DELETE")
        let expected = try folder.open().connect().fingerprint()
        let disk = try MortalDisk()
        let connection = try folder.open(vfs: disk.choice).connect()
        try connection.execute(Self.smallCache)
        do throws(SealedFileError) {
            let found = try disk.failingRead(number) { () throws(SealedFileError) in try connection.fingerprint() }
            #expect(found == expected)
        } catch {
            #expect(error.code == .inputOutput)
        }
        #expect(try connection.fingerprint() == expected)
    }
}

extension MortalDisk {
    /// Runs `body` while the n-th read fails.
    func failingRead<R>(_ number: Int, _ body: () throws(SealedFileError) -> R) throws(SealedFileError) -> R {
        tap.arm(Fault(.error, number: number, kinds: [.read]))
        defer { tap.disarm() }
        return try body()
    }
}
