import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("a child after fork")
struct ForkTests {
    @Test(
        "a child after fork is refused on the connection it inherited, and shares no nonce with its parent",
        arguments: ["DELETE", "WAL"])
    func inherited(mode: String) throws {
        let folder = try Folder()
        do { try folder.create(mode: mode, seed: 3, rows: 50) }
        let process = try ChildProcess(ChildProcess.buildFolder + "/SealiteTestChild")
        #expect(try process.answer("open c \(folder.file("a.db")) 3") == [])
        #expect(try process.answer("sql c INSERT INTO notes(body) SELECT body FROM notes") == [])
        #expect(
            try process.answer("fork c \(folder.file("a.db")) 3") == [
                "inherited read|after-fork", "inherited write|after-fork", "own|done", "by the inherited handle|done",
                "exit|0",
            ])
        // The parent goes on, and finds what its child wrote.
        #expect(try process.answer("sql c INSERT INTO notes(body) SELECT body FROM notes") == [])
        #expect(try process.answer("sql c SELECT count(*) FROM notes; PRAGMA integrity_check") == ["400", "ok"])
        #expect(try process.answer("sql c PRAGMA wal_checkpoint(TRUNCATE)").count == 1)
        #expect(try process.answer("close c") == [])
        let nonces = try Self.nonces(folder.file("a.db"), pageSize: 1024)
        #expect(Set(nonces).count == nonces.count && nonces.count > 100)
    }

    /// The 24-byte nonce of every page.
    private static func nonces(_ path: String, pageSize: Int) throws -> [[UInt8]] {
        let bytes = try RawFile.read(path)
        return stride(from: 8192, to: bytes.count, by: pageSize).map { page in
            Array(bytes[page + pageSize - 48..<page + pageSize - 24])
        }
    }
}

extension ChildProcess {
    /// Sends a command to the test child and returns its rows.
    func answer(_ command: String) throws -> [String] {
        try send(command)
        var rows: [String] = []
        while let line = try line() {
            if line == "ok" { return rows }
            if line.hasPrefix("error ") { return rows + [line] }
            rows.append(line.hasPrefix("= ") ? String(line.dropFirst(2)) : line)
        }
        throw Failure(description: "the child ended after \(rows)")
    }
}
