import CSQLite
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("a file that one connection opened empty and another made")
struct PageSizeRaceTests {
    @Test(
        "a file that one connection opened empty and another made is read with the page size of the one that made it",
        arguments: [(1024, 4096), (1024, 65536), (4096, 1024), (65536, 1024)], ["DELETE", "WAL"])
    func pageSizes(sizes: (made: Int, expected: Int), mode: String) throws {
        let folder = try Folder()
        let source = try folder.create("source.db")
        func connect() throws -> RawConnection {
            let path = folder.file("new.db")
            return try RawConnection(
                uri: source.uri(forCopyAt: path), path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        }
        let early = try connect()
        try early.execute("PRAGMA page_size = \(sizes.expected)")
        let maker = try connect()
        var reserved: CInt = 48
        _ = unsafe withUnsafeMutablePointer(to: &reserved) { unsafe maker.control(SQLITE_FCNTL_RESERVE_BYTES, $0) }
        try maker.execute("PRAGMA page_size = \(sizes.made); PRAGMA journal_mode = \(mode); CREATE TABLE notes(body)")
        #expect(try early.integer("SELECT count(*) FROM notes") == 0)
        try early.execute("INSERT INTO notes VALUES (zeroblob(\(3 * sizes.made)))")
        #expect(try maker.integer("SELECT sum(length(body)) FROM notes") == Int64(3 * sizes.made))
        #expect(try early.integer("PRAGMA page_size") == Int64(sizes.made))
        #expect(try early.text("PRAGMA integrity_check") == "ok")
    }
}
