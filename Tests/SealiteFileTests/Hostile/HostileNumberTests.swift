import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

/// Numbers on disk may be the highest there are, whoever wrote them.
@Suite("numbers that nobody can count up to")
struct HostileNumberTests {
    private let scratch: SealedScratch
    init() throws { scratch = try SealedScratch() }

    /// Both copies of the header as `change` has it, sealed under the file's own master key.
    private func rewriteHeader(_ database: SealedDatabase, _ change: (inout HeaderContent) -> Void) throws {
        var content = try HeaderRegion(parsing: try scratch.bytes("test.db")).content
        change(&content)
        let image = try HeaderImage(content, master: try database.ring.masterKey())
        try scratch.patch("test.db", at: 0, image.bytes + image.bytes)
    }

    @Test(
        "a header copy that someone gave the highest generation is decided against, and none is used up",
        arguments: [0, 1])
    func forgedGeneration(copy: Int) throws {
        let database = try scratch.create(mode: "DELETE")
        let generation = try database.publicHeader().generation
        let bytes = try scratch.bytes("test.db")
        let forged = try forgedCopy(Array(bytes[0..<4096])) {
            $0.write(UInt64.max, at: HeaderLayout.generation)
            $0.write(UInt64.max, at: HeaderLayout.freshness)
        }
        try scratch.patch("test.db", at: copy * 4096, forged)
        #expect(failureCode { _ = try scratch.open() } == .tamperedHeader)
        let report = try SealedDatabase.acceptHeaderCopy(of: database.path, key: .rawKey(testKey()))
        #expect(report.generation == generation + 1 && report.freshnessCounter == 0)
        try scratch.open().connect().fillNotes(1)
    }

    @Test("a saved header is put back over a copy that someone gave the highest generation")
    func restoredOverForgery() throws {
        let database = try scratch.create(mode: "DELETE")
        try SealedDatabase.backUpHeader(of: database.path, to: scratch.path("header"))
        let forged = try forgedCopy(Array(try scratch.bytes("test.db")[0..<4096])) {
            $0.write(UInt64.max, at: HeaderLayout.generation)
            $0.write(UInt64.max, at: HeaderLayout.freshness)
        }
        try scratch.patch("test.db", at: 0, forged + forged)
        let report = try SealedDatabase.restoreHeader(
            of: database.path, from: scratch.path("header"), key: .rawKey(testKey()))
        #expect(report.generation == 2 && report.freshnessCounter == 0)
    }

    @Test("a header at its highest generation or freshness counter refuses the next change")
    func usedUp() throws {
        let database = try scratch.create(mode: "DELETE")
        try rewriteHeader(database) { $0.freshness = .max }
        #expect(failureCode { try scratch.open().recordFreshness(at: scratch.path("record")) } == .refused)
        try rewriteHeader(database) { ($0.generation, $0.freshness) = (.max, 0) }
        #expect(failureCode { try scratch.open().addSlot(.rawKey(testKey(8)), label: "x") } == .refused)
    }

    @Test("a page count of four thousand million is damage, and verification ends", arguments: [UInt32.max, 1 << 31])
    func hostilePageCount(count: UInt32) throws {
        let database = try scratch.create(mode: "DELETE")
        let pages = PageCodec(ring: database.ring, use: .main)
        var page = PageOneImage.emptyDatabase(pageSize: 1024, autoVacuum: .none)
        page.replaceSubrange(28..<32, with: [UInt8].littleEndian(count.byteSwapped))
        try unsafe page.withUnsafeBytes { bytes in
            try unsafe pages.seal(#require(bytes.baseAddress), number: 1, pageOneSerial: 1)
        }
        let sealed = unsafe Array(UnsafeRawBufferPointer(start: pages.scratch, count: 1024))
        try scratch.patch("test.db", at: HeaderLayout.regionByteCount, sealed)
        let report = try database.verify()
        #expect(!report.isSound && report.findings.count < 10)
        let missing = report.findings.filter { $0.part == .page }
        #expect(missing.first?.first == 2 && missing.last?.last == Int(count))
        #expect(missing.reduce(0) { $0 + $1.placeCount } == Int(count) - 1 - (Int(count) >= 1_048_577 ? 1 : 0))
    }

    @Test("a journal unit that says that four thousand million others were synced is damage, and verification ends")
    func hostileSyncCount() throws {
        let database = try scratch.create(mode: "DELETE")
        let handle = try BaseHandle(
            database.path + "-journal", vfs: "unix", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
            kind: SQLITE_OPEN_MAIN_JOURNAL)
        let live = LiveJournal(preamble: JournalPreamble(id: [UInt8](repeating: 5, count: 16), serial: 1))
        live.syncedUnitCount = Int(UInt32.max)
        let units = JournalUnits(base: handle.file, ring: database.ring)
        try units.append(.mark, logicalOffset: 0, payload: [], to: live)
        let report = try database.verify()
        #expect(report.journal?.state == .refused && report.journal?.damagedCount == Int(UInt32.max) - 1)
        #expect(report.findings.contains { $0.code == .damagedJournal && $0.last == Int(UInt32.max) - 1 })
        #expect(failureCode { _ = try database.connect().integer("PRAGMA schema_version") } == .damagedJournal)
    }

    @Test("a write into a file as long as page numbers reach leaves no holes")
    func longestFile() {
        var holes = HoleTracker()
        holes.noteEnd(.max)
        holes.willWrite(3)
        holes.willWrite(.max)
        #expect(holes.isEmpty)
    }

    @Test("a list of free pages that bites its tail is read once")
    func freelistCycle() throws {
        var reads = 0
        let trunk: [UInt8] = [0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 7] + [UInt8](repeating: 0, count: 1012)
        let pageOne = [UInt8](repeating: 0, count: 32) + [0, 0, 0, 5] + [UInt8](repeating: 0, count: 988)
        let free = try FreePages(pageCount: .max, usable: 976).leaves(among: PageRanges([7...7])) {
            (number) throws(VFSFailure) in
            reads += 1
            return number == 1 ? pageOne : trunk
        }
        #expect(free == [7] && reads == 2)
    }
}
