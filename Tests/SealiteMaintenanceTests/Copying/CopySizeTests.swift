import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("size of copies")
struct CopySizeTests {
    private let folder = try? Folder()

    private func file(_ name: String) throws -> String { try #require(folder).file(name) }

    /// Tables that SQLite copies row by row from a connection that may only read, with keys in another order than the rows.
    private static let checked = """
        CREATE TABLE named(id INTEGER PRIMARY KEY, name TEXT CHECK (length(name) > 1), size INT CHECK (size >= 0));
        CREATE INDEX by_name ON named(name); CREATE INDEX by_size ON named(size, name);
        CREATE TABLE keyed(k TEXT PRIMARY KEY, v INT CHECK (v <> 3)) WITHOUT ROWID;
        CREATE INDEX by_v ON keyed(v);
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 6000)
        INSERT INTO named SELECT x, printf('the name of row %d', x * 7919 % 6007), x * 31 % 997 FROM n;
        INSERT INTO keyed SELECT name, id FROM named WHERE id <> 3;
        """

    /// The pages of a database that SQLite itself packs, with 48 reserved bytes in each page.
    private func packedPageCount(_ plain: String) throws -> Int64 {
        let connection = try PlainDatabase.connect(plain)
        var reserved: CInt = 48
        _ = unsafe connection.control(SQLITE_FCNTL_RESERVE_BYTES, &reserved)
        let packed = try file("packed.db")
        try connection.query("VACUUM INTO ?1", bind: [.text(packed)])
        return try PlainDatabase.connect(packed).integer("PRAGMA page_count")
    }

    @Test("tables with CHECK constraints are packed as tightly as VACUUM packs them", arguments: ["DELETE", "WAL"])
    func checkConstraints(mode: String) throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(plain, settings: "PRAGMA journal_mode=\(mode)", Self.checked)
        let before = try Content.of(try PlainDatabase.connect(plain))
        let packed = try packedPageCount(plain)
        let sealed = try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot)
        #expect(try sealed.database.connect().integer("PRAGMA page_count") == packed)
        _ = try sealed.database.decrypt(to: try file("back.db"))
        let back = try PlainDatabase.connect(try file("back.db"))
        #expect(try back.integer("PRAGMA page_count") <= packed)
        #expect(try Content.of(back) == before)
        #expect(try Content.of(try sealed.database.connect()) == before)
    }

    @Test("another page size packs tables with CHECK constraints too")
    func otherPageSize() throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(plain, settings: "PRAGMA page_size=512", Self.checked)
        let options = EncryptionOptions(pageSize: 2048)
        let sealed = try SealedDatabase.encrypt(
            plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot, options: options)
        try PlainDatabase.connect(plain).execute("PRAGMA page_size=2048; VACUUM")
        #expect(try sealed.database.connect().integer("PRAGMA page_count") == packedPageCount(plain))
    }

    @Test("the second pass counts as the second half of the progress, and leaves nothing behind")
    func progressOfTwoPasses() throws {
        let plain = try file("plain.db")
        try PlainDatabase.make(plain, Self.checked)
        var told: [CopyProgress] = []
        _ = try SealedDatabase.encrypt(plain: plain, to: try file("sealed.db"), slot: PlainDatabase.slot) {
            told.append($0)
            return true
        }
        let copying = told.filter { $0.phase == .copying }
        #expect(copying.map(\.completed) == copying.map(\.completed).sorted())
        #expect(copying.last.map { $0.completed * 2 >= $0.total } == true)
        #expect(folder?.names == ["plain.db", "sealed.db"])
        let failure = #expect(throws: SealedFileError.self) {
            try SealedDatabase.encrypt(plain: plain, to: try file("other.db"), slot: PlainDatabase.slot) {
                $0.completed * 2 < $0.total
            }
        }
        #expect(failure?.code == .cancelled)
        #expect(folder?.names == ["plain.db", "sealed.db"])
    }
}
