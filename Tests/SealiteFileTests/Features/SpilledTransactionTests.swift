import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("transactions that outgrow the cache in WAL mode")
struct SpilledTransactionTests {
    /// Writes pages early, again and again in place, and begins anew behind a savepoint.
    private static let spilling =
        [
            "PRAGMA cache_size = 10", "PRAGMA wal_autocheckpoint = 0",
            "UPDATE notes SET body = printf('%0180d', id * id)", "BEGIN",
        ]
        + (1...6).flatMap { round in
            [
                "UPDATE notes SET body = '\(round) ' || substr(body, 1, 150) WHERE id % 7 <> \(round)",
                "SAVEPOINT s\(round)",
                "UPDATE notes SET body = 'undone' || substr(body, 1, 190)",
                "INSERT INTO notes(body) SELECT body FROM notes LIMIT 200",
                "ROLLBACK TO s\(round)",
            ]
        }

    @Test("what is written in place several times is what others read, before and after a checkpoint")
    func content() throws {
        let folder = try Folder()
        let writer = try folder.create(mode: "WAL", rows: 2000).connect()
        let twin = try folder.create("twin.db", rows: 2000).connect()
        for statement in Self.spilling {
            try writer.execute(statement)
            try twin.execute(statement)
        }
        for statement in ["COMMIT", "UPDATE notes SET body = body || ' later' WHERE id < 500"] {
            try writer.execute(statement)
            try twin.execute(statement)
            #expect(try folder.open().connect().fingerprint() == twin.fingerprint())
        }
        #expect(try folder.open().connect().text("PRAGMA integrity_check") == "ok")
        _ = try writer.text("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try folder.open().connect().fingerprint() == twin.fingerprint())
    }

    @Test("a page that goes to its frame again isn't read back before")
    func reads() throws {
        let folder = try Folder()
        try folder.create(mode: "WAL", rows: 2000).connect().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let disk = try MortalDisk()
        let connection = try folder.open(vfs: disk.choice).connect()
        try connection.execute("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0; BEGIN")
        let operations = try disk.record {
            for _ in 0..<3 { try connection.execute("UPDATE notes SET body = body || 'x'") }
        }
        let frames = operations.filter { $0.file == .wal && $0.byteCount > 1024 }
        var known: Set<Int64> = []
        let rewrites = frames.count { $0.kind == .write && !known.insert($0.offset).inserted }
        try #require(rewrites > 200)
        // SQLite itself reads each page once a round; reading back would double that.
        #expect(frames.count { $0.kind == .read } < rewrites * 3 / 2)
        try connection.execute("COMMIT")
    }

    @Test("headers are kept of the frames that follow each other from the first, up to a bound")
    func headers() {
        var headers = FrameHeaders()
        func kept(_ index: UInt32) -> UInt64? {
            var words: [UInt64] = [0, 0, 0]
            return unsafe words.withUnsafeMutableBytes { bytes in
                guard let place = bytes.baseAddress, unsafe headers.copy(index, to: place) else { return nil }
                return unsafe bytes.load(fromByteOffset: 16, as: UInt64.self)
            }
        }
        func keep(_ index: UInt32, _ word: UInt64) {
            unsafe [UInt64(1), 2, word].withUnsafeBytes { bytes in
                if let place = bytes.baseAddress { unsafe headers.keep(index, place) }
            }
        }
        let last = UInt32(10 + FrameHeaders.mostFrames - 1)
        for index in 10...last + 5 { keep(index, UInt64(index)) }
        #expect(kept(9) == nil)
        #expect(kept(10) == 10)
        #expect(kept(last) == UInt64(last))
        #expect(kept(last + 1) == nil)
        keep(12, 7)
        #expect(kept(12) == 7)
        headers.forget()
        #expect(kept(12) == nil)
        keep(5, 5)
        keep(7, 7)
        #expect(kept(5) == 5)
        #expect(kept(7) == nil)
    }
}
