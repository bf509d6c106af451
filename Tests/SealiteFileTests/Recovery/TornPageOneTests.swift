import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("a torn page 1")
struct TornPageOneTests {
    enum Tear: CaseIterable {
        case firstHalf, secondHalf, lastSector, zeros, noise

        /// Spoils the page of this size that begins at byte 8192.
        func apply(to path: String, pageSize: Int) throws {
            let noise = (0..<pageSize).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
            switch self {
            case .firstHalf: try RawFile.patch(path, at: 8192, with: Array(noise[..<(pageSize / 2)]))
            case .secondHalf: try RawFile.patch(path, at: 8192 + pageSize / 2, with: Array(noise[(pageSize / 2)...]))
            case .lastSector: try RawFile.patch(path, at: 8192 + pageSize - 512, with: Array(noise[..<512]))
            case .zeros: try RawFile.patch(path, at: 8192, with: [UInt8](repeating: 0, count: pageSize))
            case .noise: try RawFile.patch(path, at: 8192, with: noise)
            }
        }
    }

    @Test(
        "a torn page 1 is repaired from a hot journal", arguments: ["DELETE", "TRUNCATE", "PERSIST"], Tear.allCases)
    func hotJournal(mode: String, tear: Tear) throws {
        let crash = try Crash(mode: mode)
        try tear.apply(to: crash.folder.file("a.db"), pageSize: 1024)
        let connection = try crash.folder.open().connect()
        #expect(try connection.fingerprint() == crash.before)
        try connection.checkIntegrity()
        try connection.addNotes(1)
    }

    @Test("a torn page 1 is repaired from the WAL", arguments: Tear.allCases, [1024, 4096])
    func wal(tear: Tear, pageSize: Int) throws {
        let folder = try Folder()
        let expected: String
        do {
            let connection = try folder.create(mode: "WAL", pageSize: pageSize).connect()
            _ = try connection.text("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.keepWALOnClose()
            try connection.execute("\(Crash.changeAll); CREATE TABLE other(x)")
            expected = try connection.fingerprint()
        }
        try tear.apply(to: folder.file("a.db"), pageSize: pageSize)
        do {
            let connection = try folder.open().connect()
            #expect(try connection.fingerprint() == expected)
            #expect(try connection.text("PRAGMA wal_checkpoint(TRUNCATE)") == "0")
            try connection.checkIntegrity()
        }
        #expect(try folder.open().connect().fingerprint() == expected)
    }

    @Test("a torn page 1 is named where nothing can repair it", arguments: Tear.allCases)
    func nothingToRepairFrom(tear: Tear) throws {
        let folder = try Folder()
        try folder.create()
        try tear.apply(to: folder.file("a.db"), pageSize: 1024)
        let before = try folder.contents()
        let database = try folder.open()
        let connection = try database.connect()
        do throws(SealedFileError) {
            _ = try connection.integer("SELECT count(*) FROM notes")
            Issue.record("a damaged page was read")
        } catch {
            #expect(error.code == .damagedPage && error.page == 1)
        }
        #expect(failureCode { try connection.addNotes(1) } == .damagedPage)
        #expect(try folder.contents() == before)
    }
}
