import CSQLite
import Foundation
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("verification")
struct VerificationTests {
    private let scratch: SealedScratch
    init() throws { scratch = try SealedScratch() }

    private func damagedPages(_ report: VerificationReport) -> [Int] {
        report.findings.filter { $0.part == .page && $0.severity == .damage }
            .flatMap { ($0.first ?? 0)...($0.last ?? 0) }
    }

    @Test("a sound database has no finding", arguments: ["DELETE", "PERSIST", "WAL"])
    func sound(mode: String) throws {
        let database = try scratch.create(mode: mode)
        let connection = try database.connect()
        try connection.fillNotes(300)
        let report = try database.verify()
        #expect(report.isSound && report.findings.isEmpty)
        #expect(report.integrity == .ok)
        #expect(report.pages.count == Int(try connection.integer("PRAGMA page_count")))
        #expect((report.wal != nil) == (mode == "WAL"))
        #expect(try connection.integer("SELECT count(*) FROM notes") == 300)
    }

    @Test("every damaged page is named, neighbours as one finding, and the rest is still read")
    func damagedPagesAreNamed() throws {
        let database = try scratch.create(mode: "DELETE")
        try database.connect().fillNotes(300)
        var bytes = try scratch.bytes("test.db")
        for page in [5, 9, 10, 11] { bytes[8192 + (page - 1) * 1024 + 100] ^= 1 }
        try scratch.write(bytes, "test.db")
        let report = try database.verify()
        #expect(!report.isSound)
        #expect(damagedPages(report) == [5, 9, 10, 11])
        #expect(report.findings.count == 2)
        #expect(report.damagedPlaceCount == 4)
        #expect(report.pages.authenticCount == report.pages.count - 4)
        #expect(report.integrity == .skipped)
    }

    @Test("a damaged page of an epoch that the header turns out to name isn't blamed on the epoch")
    func damagedPageAfterRotation() throws {
        try scratch.create(mode: "DELETE").connect().fillNotes(40)
        let handle = try scratch.open()
        _ = try KeyRotation(of: try scratch.open()).run()
        try scratch.patch("test.db", at: 8192 + 100, [try scratch.bytes("test.db")[8192 + 100] ^ 1])
        let file = try BaseHandle(handle.path, vfs: "unix", flags: SQLITE_OPEN_READONLY)
        let scan = PageScan(handle, handle: file, wal: nil)
        try scan.run { _, _ in }
        #expect(scan.findings.all.map(\.first) == [1])
        #expect(scan.findings.all.first?.reason.hasPrefix("failed authentication") == true)
    }

    @Test("a damaged page 1 doesn't keep the other pages from being verified")
    func damagedPageOne() throws {
        let database = try scratch.create(mode: "DELETE")
        try database.connect().fillNotes(300)
        var bytes = try scratch.bytes("test.db")
        bytes[8192 + 50] ^= 0x80
        bytes[8192 + 6 * 1024] ^= 0x80
        try scratch.write(bytes, "test.db")
        let report = try database.verify()
        #expect(damagedPages(report) == [1, 7])
    }

    @Test("a file cut inside a page names that page, and cut at a page boundary the missing ones")
    func truncated() throws {
        let database = try scratch.create(mode: "DELETE")
        try database.connect().fillNotes(300)
        let bytes = try scratch.bytes("test.db")
        let count = (bytes.count - 8192) / 1024
        try scratch.write(bytes.dropLast(100), "test.db")
        #expect(damagedPages(try database.verify()) == [count])
        try scratch.write(bytes.dropLast(3 * 1024), "test.db")
        #expect(damagedPages(try database.verify()) == [count - 2, count - 1, count])
    }

    @Test("pages behind the last one are a note, and do no harm")
    func extended() throws {
        let database = try scratch.create(mode: "DELETE")
        try database.connect().fillNotes(100)
        try scratch.write(try scratch.bytes("test.db") + [UInt8](repeating: 0, count: 2048), "test.db")
        let report = try database.verify()
        #expect(report.isSound && report.findings.count == 1)
        #expect(report.integrity == .ok)
    }

    @Test("a damaged page that the WAL holds anew isn't damage")
    func pageInWAL() throws {
        let database = try scratch.create(mode: "WAL")
        let connection = try database.connect()
        try connection.fillNotes(200)
        _ = try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)")
        try connection.execute("UPDATE notes SET body = body || '!'")
        var bytes = try scratch.bytes("test.db")
        bytes[8192 + 4 * 1024] ^= 1
        try scratch.copy("test.db", to: "copy.db")
        try scratch.write(bytes, "copy.db")
        let copy = try scratch.open("copy.db")
        let report = try copy.verify()
        #expect(report.isSound)
        #expect(report.pages.inWALCount > 4)
        #expect(report.integrity == .ok)
    }

    @Test("a bad WAL frame with authentic ones behind it is suspected damage; at the end it is the end")
    func badFrame() throws {
        let database = try scratch.create(mode: "WAL")
        let connection = try database.connect()
        try connection.fillNotes(20)
        for index in 1...5 { try connection.execute("UPDATE notes SET body = 'x\(index)' WHERE id = \(index)") }
        try scratch.copy("test.db", to: "copy.db")
        let wal = try scratch.bytes("copy.db-wal")
        let count = (wal.count - 32) / 1048
        var damaged = wal
        damaged[32 + 1048 * (count - 3) + 30] ^= 1
        try scratch.write(damaged, "copy.db-wal")
        let report = try scratch.open("copy.db").verify()
        let finding = try #require(report.findings.first { $0.part == .walFrame })
        #expect(finding.first == count - 3 && finding.code == .damagedFrame && finding.severity == .damage)
        #expect(report.wal?.committedFrameCount == count - 3)

        damaged = wal
        damaged[32 + 1048 * (count - 1) + 30] ^= 1
        try scratch.copy("test.db", to: "other.db")
        try scratch.write(damaged, "other.db-wal")
        let other = try scratch.open("other.db").verify()
        #expect(other.isSound)
        #expect(other.wal?.committedFrameCount == count - 1)
        #expect(scratch.exists("other.db-wal"), "verification doesn't carry the log into the file")
    }

    @Test("pages that were never written are in order where they are free, and damage where they aren't")
    func neverWritten() throws {
        let database = try scratch.create(mode: "DELETE")
        let connection = try database.connect()
        try connection.fillNotes(300)
        try connection.execute("DELETE FROM notes WHERE id > 100")
        #expect(try connection.integer("PRAGMA freelist_count") > 3)
        var bytes = try scratch.bytes("test.db")
        let leaf = try Self.freeLeaf(database)
        for page in [leaf, 4] {
            bytes.replaceSubrange(8192 + (page - 1) * 1024..<8192 + page * 1024, with: repeatElement(0, count: 1024))
        }
        try scratch.write(bytes, "test.db")
        let report = try database.verify()
        #expect(damagedPages(report) == [4])
        #expect(report.pages.neverWrittenCount == 1)
        #expect(report.findings.contains { $0.first == leaf && $0.severity == .note })
    }

    /// A leaf of the freelist, found by SQLite's own reading of the trunk.
    private static func freeLeaf(_ database: SealedDatabase) throws -> Int {
        let handle = try BaseHandle(database.path, vfs: "unix", flags: SQLITE_OPEN_READONLY)
        let pages = PageCodec(ring: database.ring, use: .main)
        func page(_ number: UInt32) throws -> [UInt8] {
            var bytes = try handle.file.bytes(database.pageSize, at: pages.offset(of: number)).get()
            try unsafe bytes.withUnsafeMutableBytes { buffer in
                _ = unsafe try pages.open(try #require(buffer.baseAddress), number: number)
            }
            return bytes
        }
        let trunk = WALHeader.readUInt32(try page(1), at: 32)
        return Int(WALHeader.readUInt32(try page(trunk), at: 8))
    }

    @Test("a hot journal is verified, then rolled back as by any connection")
    func hotJournal() throws {
        let database = try scratch.create(mode: "DELETE")
        let connection = try database.connect()
        try connection.fillNotes(300)
        let before = try connection.dump()
        try connection.execute("PRAGMA cache_size=3; BEGIN; UPDATE notes SET body = upper(body) || '?'")
        try scratch.copy("test.db", to: "copy.db")
        let copy = try scratch.open("copy.db")
        let report = try copy.verify()
        #expect(report.isSound)
        #expect(report.journal?.state == .hot && report.journal?.wasRolledBack == true)
        #expect(try copy.connect().dump() == before)
    }

    @Test("a journal that another connection is writing is left alone")
    func liveJournal() throws {
        let database = try scratch.create(mode: "DELETE")
        let connection = try database.connect()
        try connection.fillNotes(50)
        try connection.execute("BEGIN; UPDATE notes SET body = body || '?'")
        let report = try database.verify()
        #expect(report.isSound && report.journal?.state == .inUse)
        try connection.execute("COMMIT")
    }

    @Test("every unit of a damaged journal is named, and nothing is played")
    func damagedJournal() throws {
        let database = try scratch.create(mode: "DELETE")
        let connection = try database.connect()
        try connection.fillNotes(300)
        try connection.execute("PRAGMA cache_size=3; BEGIN; UPDATE notes SET body = upper(body) || '?'")
        try scratch.copy("test.db", to: "copy.db")
        var journal = try scratch.bytes("copy.db-journal")
        for unit in [1, 2, 4] { journal[4096 * (1 + unit) + 77] ^= 1 }
        try scratch.write(journal, "copy.db-journal")
        let file = try scratch.bytes("copy.db")
        let report = try scratch.open("copy.db").verify()
        let units = report.findings.filter { $0.part == .journalUnit }.map { [$0.first, $0.last] }
        #expect(units == [[1, 2], [4, 4]])
        #expect(report.journal?.state == .refused && report.journal?.damagedCount == 3)
        #expect(try scratch.bytes("copy.db") == file)
        #expect(try scratch.bytes("copy.db-journal") == journal)
    }

    @Test("a damaged header copy is written anew, and mentioned", arguments: [0, 1])
    func damagedCopy(copy: Int) throws {
        _ = try scratch.create()
        let whole = try scratch.bytes("test.db")
        var bytes = whole
        bytes[copy * 4096 + 700] ^= 1
        try scratch.write(bytes, "test.db")
        let database = try scratch.open()
        let report = try database.verify()
        #expect(report.isSound)
        #expect(report.header.copies[copy] == .damaged)
        #expect(report.findings.first?.part == .header && report.findings.first?.first == copy)
        #expect(try scratch.bytes("test.db").prefix(8192) == whole.prefix(8192))
        #expect(try database.verify().findings.isEmpty)
    }

    @Test("any writer writes a damaged header copy anew")
    func writerMendsCopy() throws {
        _ = try scratch.create()
        let whole = try scratch.bytes("test.db")
        var bytes = whole
        bytes[4096 + 3000] ^= 1
        try scratch.write(bytes, "test.db")
        try scratch.open().connect().fillNotes(1)
        #expect(try scratch.bytes("test.db").prefix(8192) == whole.prefix(8192))
    }
}
