import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

/// A database whose every row says its name in every page that it takes up, so that what must be recovered can be told from
/// the plain pages alone, without any reader of b-trees.
struct MarkedDatabase {
    let scratch: SealedScratch
    let pageSize: Int
    /// The plain pages of the undamaged file.
    let plain: [[UInt8]]
    let names: [String]
    private let log: SalvagedLog?
    /// For each row's name, the pages that hold a part of it.
    let pagesOfRow: [String: Set<UInt32>]

    /// With `inLog` everything is in a write-ahead log that nobody carried over.
    init(
        _ scratch: SealedScratch, pageSize: Int = 1024, rowCount: Int = 3000, setup: String = "", inLog: Bool = false
    ) throws {
        self.scratch = scratch
        self.pageSize = pageSize
        let database = try scratch.create("test.db", pageSize: pageSize, mode: inLog ? "WAL" : "DELETE")
        do {
            let connection = try database.connect()
            connection.keepLogOnClose()
            if inLog { try connection.execute("PRAGMA wal_autocheckpoint=0") }
            try connection.execute("\(setup); CREATE TABLE dropped(a INTEGER PRIMARY KEY, b TEXT)")
            try connection.execute(Self.fill("dropped", "d", rowCount / 2, columns: "a, b", long: 0))
            try connection.execute(
                """
                CREATE TABLE wide(a INTEGER PRIMARY KEY, b TEXT);
                CREATE TABLE keyed(k TEXT PRIMARY KEY, b TEXT) WITHOUT ROWID;
                CREATE INDEX wideLength ON wide(length(b));
                """)
            try connection.execute(Self.fill("wide", "w", rowCount, columns: "a, b", long: 37))
            try connection.execute(Self.fill("keyed", "k", rowCount / 2, columns: "k, b", long: 41))
            try connection.execute("VACUUM")
            try connection.execute("CREATE TABLE late(a INTEGER PRIMARY KEY, b TEXT)")
            try connection.execute(Self.fill("late", "l", rowCount / 2, columns: "a, b", long: 0))
            try connection.execute("DROP TABLE dropped")
        }
        log =
            inLog
            ? try SalvagedLog(
                try #require(try database.sidecar("-wal", kind: SQLITE_OPEN_WAL)), ring: database.ring) : nil
        plain = try PlainPages.read(database, log)
        names =
            (1...rowCount).map { Self.name("w", $0) }
            + (1...rowCount / 2).flatMap { [Self.name("k", $0), Self.name("l", $0)] }
        var free: Set<UInt32> = []
        let connection = try database.connect()
        connection.keepLogOnClose()
        let inUse = try Self.pagesInUse(connection)
        for number in 1...UInt32(plain.count) where !inUse.contains(number) { free.insert(number) }
        pagesOfRow = Self.findMarkers(plain, free: free)
    }

    /// Names of one length, so that none begins as another does.
    static func name(_ letter: String, _ number: Int) -> String {
        letter + String(repeating: "0", count: 6 - String(number).count) + String(number) + "#"
    }

    /// Rows of a few hundred bytes, some of them of several pages, of nothing but their own name again and again.
    private static func fill(_ table: String, _ letter: String, _ count: Int, columns: String, long: Int) -> String {
        let name = "printf('\(letter)%06d#', x)"
        let body =
            "replace(hex(zeroblob(\(long == 0 ? "9" : "CASE x % \(long) WHEN 0 THEN 400 ELSE 9 END"))), '00', \(name))"
        return """
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(count))
            INSERT INTO \(table)(\(columns)) SELECT \(columns.hasPrefix("a") ? "x" : name), \(body) FROM n
            """
    }

    /// By SQLite's own statistics: what belongs to any tree.
    private static func pagesInUse(_ connection: RawConnection) throws -> Set<UInt32> {
        var pages: Set<UInt32> = []
        try connection.query("SELECT pageno FROM dbstat") { (row) throws(SealedFileError) in
            pages.insert(UInt32(row.integer(0)))
        }
        return pages
    }

    private static func findMarkers(_ plain: [[UInt8]], free: Set<UInt32>) -> [String: Set<UInt32>] {
        var found: [String: Set<UInt32>] = [:]
        for (index, page) in plain.enumerated() where !free.contains(UInt32(index + 1)) {
            var end = page.startIndex + 7
            while let place = page[end...].firstIndex(of: UInt8(ascii: "#")) {
                end = place + 1
                let bytes = page[place - 7...place]
                guard let letter = bytes.first, "wkl".utf8.contains(letter),
                    bytes.dropFirst().prefix(6).allSatisfy({ (48...57).contains($0) })
                else { continue }
                found[String(decoding: bytes, as: UTF8.self), default: []].insert(UInt32(index + 1))
            }
        }
        return found
    }

    /// The rows whose every page is whole.
    func mustBeRecovered(without damaged: Set<UInt32>) -> Set<String> {
        Set(names.filter { pagesOfRow[$0]?.isDisjoint(with: damaged) == true })
    }

    /// Turns a bit in each of these pages of the file, or in its newest frame of the log.
    func damage(_ pages: Set<UInt32>) throws {
        if let log {
            var bytes = try scratch.bytes("test.db-wal")
            let frameByteCount = pageSize + WALHeader.frameHeaderByteCount
            for page in pages {
                guard let frame = log.newest[page] else { continue }
                bytes[WALHeader.byteCount + Int(frame) * frameByteCount + 40] ^= 0x10
            }
            return try scratch.write(bytes, "test.db-wal")
        }
        var bytes = try scratch.bytes("test.db")
        for page in pages { bytes[HeaderLayout.regionByteCount + Int(page - 1) * pageSize + 33] ^= 0x10 }
        try scratch.write(bytes, "test.db")
    }
}

/// The opened pages of a database file.
enum PlainPages {
    static func read(_ database: SealedDatabase, _ log: SalvagedLog? = nil) throws -> [[UInt8]] {
        let damaged = try DamagedFile(path: database.path, ring: database.ring, vfs: "unix", log: log)
        return (1...damaged.pageCount).map { number in
            damaged.pages.text(number) ?? [UInt8](repeating: 0, count: database.pageSize)
        }
    }
}

/// Returns the marked rows that a salvaged database holds with their whole content.
func recoveredNames(_ connection: RawConnection, _ report: SalvageReport) throws -> (
    inPlace: Set<String>, aside: Set<String>
) {
    func wholeNames(_ sql: String) throws -> Set<String> {
        var names: Set<String> = []
        try connection.query(sql) { (row) throws(SealedFileError) in
            guard let text = row.text(0) else { return }
            let name = String(text.prefix(8))
            guard text.utf8.count == 9 * 8 || text.utf8.count == 400 * 8 else { return }
            if text == String(repeating: name, count: text.utf8.count / 8) { names.insert(name) }
        }
        return names
    }
    var inPlace: Set<String> = []
    for table in report.tables { inPlace.formUnion(try wholeNames("SELECT b FROM \(quoted(table.name))")) }
    guard let aside = report.lostAndFoundTable else { return (inPlace, []) }
    return (inPlace, try wholeNames("SELECT c1 FROM \(aside)"))
}

@Suite("salvage")
struct SalvageTests {
    private let scratch: SealedScratch

    init() throws { scratch = try SealedScratch() }

    private func salvage() throws -> SalvageReport { try scratch.open().salvage(to: scratch.path("new.db")) }

    @Test("an undamaged database comes out whole, every row in its table", arguments: [1024, 4096])
    func undamaged(pageSize: Int) throws {
        let marked = try MarkedDatabase(scratch, pageSize: pageSize)
        let report = try salvage()
        #expect(report.isComplete, "\(report)")
        let new = try scratch.open("new.db")
        let connection = try new.connect()
        let (inPlace, aside) = try recoveredNames(connection, report)
        #expect(inPlace == Set(marked.names))
        #expect(aside.isEmpty)
        let old = try scratch.open().connect()
        for sql in ["SELECT * FROM wide", "SELECT * FROM keyed", "SELECT rowid, * FROM late"] {
            #expect(try connection.dump(sql) == old.dump(sql))
        }
        #expect(
            try connection.dump("SELECT type, name, sql FROM sqlite_schema ORDER BY name")
                == old.dump("SELECT type, name, sql FROM sqlite_schema ORDER BY name"))
        #expect(try new.verify().isSound)
    }

    @Test(
        "every row whose pages are whole is recovered, whatever pages are lost",
        arguments: [1, 10, 30], TestSeed.seeds(4))
    func randomDamage(percent: Int, seed: UInt64) throws {
        let marked = try MarkedDatabase(scratch)
        var random = SeededRandom(seed: seed)
        let damaged = Set((1...UInt32(marked.plain.count)).filter { _ in random.next() % 100 < UInt64(percent) })
        try marked.damage(damaged)
        let report = try salvage()
        let new = try scratch.open("new.db")
        let (inPlace, aside) = try recoveredNames(try new.connect(), report)
        let missing = marked.mustBeRecovered(without: damaged).subtracting(inPlace).subtracting(aside)
        #expect(missing.isEmpty, "seed \(seed), \(percent) %: \(missing.count) rows, \(missing.sorted().prefix(5))")
        #expect(inPlace.isDisjoint(with: aside))
        // Nothing is invented: what came out are rows whose pages are whole.
        let invented = inPlace.union(aside).subtracting(marked.mustBeRecovered(without: damaged))
        #expect(invented.isEmpty, "seed \(seed): \(invented.sorted().prefix(5))")
        #expect(Set(report.lostPages.joined()).isSubset(of: damaged))
        #expect(try new.verify().isSound)
    }

    @Test(
        "every row whose newest frames of the log are whole is recovered, whatever frames are lost",
        arguments: [1, 10, 30], TestSeed.seeds(2))
    func randomDamageInLog(percent: Int, seed: UInt64) throws {
        let marked = try MarkedDatabase(scratch, rowCount: 1200, inLog: true)
        var random = SeededRandom(seed: seed)
        let damaged = Set((1...UInt32(marked.plain.count)).filter { _ in random.next() % 100 < UInt64(percent) })
        try marked.damage(damaged)
        let report = try salvage()
        let new = try scratch.open("new.db")
        let (inPlace, aside) = try recoveredNames(try new.connect(), report)
        let missing = marked.mustBeRecovered(without: damaged).subtracting(inPlace).subtracting(aside)
        #expect(missing.isEmpty, "seed \(seed), \(percent) %: \(missing.count) rows, \(missing.sorted().prefix(5))")
        #expect(report.walFrameCount > 100 && (report.lostFrameCount > 0) == !damaged.isEmpty)
        #expect(try new.verify().isSound)
    }

    @Test("rows under a lost root are found apart, and put back where only one table can own them")
    func lostRoot() throws {
        let marked = try MarkedDatabase(scratch)
        let root = UInt32(try scratch.open().connect().integer("SELECT rootpage FROM sqlite_schema WHERE name='wide'"))
        try marked.damage([root])
        let report = try salvage()
        let wide = try #require(report.tables.first { $0.name == "wide" })
        #expect(wide.rowCount == 3000)
        #expect(wide.attributedRowCount == 3000)
        #expect(wide.gaps == [RowGap(page: root, after: nil, through: nil)])
        #expect(report.lostAndFoundRowCount == 0)
    }

    @Test("rows of two tables with lost roots are in lost_and_found, with the page they came from")
    func twoLostRoots() throws {
        let marked = try MarkedDatabase(scratch)
        var roots: Set<UInt32> = []
        try scratch.open().connect().query("SELECT rootpage FROM sqlite_schema WHERE name IN ('wide', 'late')") {
            (row) throws(SealedFileError) in roots.insert(UInt32(row.integer(0)))
        }
        try marked.damage(roots)
        let report = try salvage()
        #expect(report.lostAndFoundTable == "lost_and_found")
        #expect(report.lostAndFoundRowCount == 4500)
        let connection = try scratch.open("new.db").connect()
        #expect(
            try connection.integer("SELECT count(*) FROM lost_and_found WHERE nfield = 2 AND id > 0 AND c0 IS NULL")
                == 4500)
        let page = try connection.integer("SELECT pgno FROM lost_and_found WHERE c1 LIKE 'l000007#%'")
        #expect(marked.pagesOfRow["l000007#"] == [UInt32(page)])
    }

    @Test("a lost page 1 loses the schema and no row")
    func lostPageOne() throws {
        let marked = try MarkedDatabase(scratch)
        try marked.damage([1])
        let report = try salvage()
        #expect(!report.schemaIsComplete)
        #expect(!report.freelistIsComplete)
        let (inPlace, aside) = try recoveredNames(try scratch.open("new.db").connect(), report)
        #expect(inPlace.union(aside) == Set(marked.names))
    }

    @Test("a schema of many pages is used as far as it can be read, without its first page too")
    func largeSchema() throws {
        do {
            let connection = try scratch.create(mode: "DELETE").connect()
            for number in 0..<60 {
                try connection.execute(
                    "CREATE TABLE t\(number)(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'a rather long default value \(number)');"
                        + "INSERT INTO t\(number)(a) VALUES(\(number))")
            }
        }
        var bytes = try scratch.bytes("test.db")
        bytes[HeaderLayout.regionByteCount + 500] ^= 1
        try scratch.write(bytes, "test.db")
        let report = try salvage()
        #expect(!report.schemaIsComplete)
        #expect(report.tables.count == 60)
        let connection = try scratch.open("new.db").connect()
        for number in 0..<60 { #expect(try connection.integer("SELECT a FROM t\(number)") == number) }
    }

    @Test("a new file that turns out damaged is removed, and the hint is about the disk, not about another salvage")
    func damagedNewFile() throws {
        try scratch.create(mode: "DELETE").connect().fillNotes(40)
        var isDamaged = false
        let error = #expect(throws: SealedFileError.self) {
            try NewFile.$allowsDrafts.withValue(false) {
                try scratch.open().salvage(to: scratch.path("new.db")) { now in
                    // The pages have been read by then, and SQLite's own check comes next.
                    guard now.phase == .verifying, !isDamaged else { return true }
                    isDamaged = true
                    let name = scratch.names.first { $0.contains(NewFile.marker) } ?? ""
                    return (try? RawFile.flip(scratch.path(name), at: HeaderLayout.regionByteCount + 2 * 1024)) != nil
                }
            }
        }
        #expect(error?.code == .integrity && error?.hint?.contains("disk") == true, "\(String(describing: error))")
        #expect(!scratch.exists("new.db"))
    }

    @Test("the lost rowids of a lost leaf are named")
    func namedGap() throws {
        let marked = try MarkedDatabase(scratch)
        let page = try #require(marked.pagesOfRow["w001500#"]?.first)
        let inPage = marked.pagesOfRow.filter { $0.key.hasPrefix("w") && $0.value.contains(page) }.keys
            .compactMap { Int64($0.dropFirst().prefix(6)) }.sorted()
        try marked.damage([page])
        let report = try salvage()
        let gap = try #require(report.tables.first { $0.name == "wide" }?.gaps.first)
        #expect(gap.page == page)
        #expect(gap.after.map { $0 + 1 } == inPage.first)
        #expect(gap.through == inPage.last)
        #expect(report.lostPages == [page...page])
    }

    enum Copy: CaseIterable {
        case salvage, salvageWithSlot, backupWithSlot

        func make(of database: SealedDatabase, at path: String) throws {
            switch self {
            case .salvage: _ = try database.salvage(to: path)
            case .salvageWithSlot: _ = try database.salvage(to: path, slot: .rawKey(testKey()))
            case .backupWithSlot: _ = try database.backup(to: path, slot: .rawKey(testKey()))
            }
        }
    }

    @Test("the slots and keys of a copy are those that the file has, not those that the handle has read before")
    func changedHeader() throws {
        let database = try scratch.create(mode: "DELETE")
        try database.connect().fillNotes(50)
        try database.addSlot(.rawKey(testKey(8)))
        let handles = try Copy.allCases.map { ($0, try scratch.open()) }
        try database.removeSlot(2)
        _ = try KeyRotation(of: database).run()
        // The first record adds the application key.
        try database.recordFreshness(at: scratch.path("record"))
        for (copy, handle) in handles {
            try copy.make(of: handle, at: scratch.path("new.db"))
            do {
                let new = try scratch.open("new.db")
                #expect(try new.slots().map(\.number) == [1], "\(copy)")
                #expect(try new.ring.applicationKey() != nil, "\(copy)")
                #expect(try new.connect().integer("SELECT count(*) FROM notes") == 50, "\(copy)")
            }
            scratch.remove("new.db")
        }
    }
}
