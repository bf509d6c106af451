import CSQLite
import Foundation
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("pages of other programs that are copied as they are")
struct ForeignPageTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func seal(
        _ name: String, pageSize: Int? = nil
    ) throws -> (database: SealedDatabase, report: CopyReport) {
        let fixture = try ForeignFixture.named(name)
        return try SealedDatabase.encrypt(
            foreign: try fixture.copy(to: folder), as: try fixture.encryption, key: fixture.key,
            to: folder.file("sealed-\(name).db"), slot: PlainDatabase.slot,
            options: EncryptionOptions(pageSize: pageSize))
    }

    /// The rows of the file whose program has functions and collations of its own, with texts of several pages.
    private static let texts =
        "SELECT group_concat(length(d) || ' ' || substr(d, -6), '|') FROM (SELECT d FROM u ORDER BY length(d))"
    private static let expected = "9006 text 1|9012 text 2|9024 text 4|9030 text 5"

    /// Gives a connection the collation and the function that the file needs.
    private func addFunctions(_ connection: RawConnection) {
        let collated = unsafe sqlite3_create_collation_v2(
            connection.handle, "app", SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                guard let left = unsafe left, let right = unsafe right else { return 0 }
                let order = unsafe memcmp(left, right, Int(min(leftCount, rightCount)))
                return order == 0 ? leftCount - rightCount : order
            }, nil)
        let named = unsafe sqlite3_create_function_v2(
            connection.handle, "app", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, values in unsafe sqlite3_result_value(context, values?[0]) }, nil, nil, nil)
        #expect(collated == SQLITE_OK && named == SQLITE_OK)
    }

    @Test(
        "pages with room for a seal are copied with what they reserve",
        arguments: [
            "sqlcipher-4", "sqlcipher-3", "sqlcipher-2", "sqlcipher-settings", "sqlcipher-wal",
            "sqlcipher-plain-header",
            "sqlcipher-raw-key", "sqlcipher-of-multiple-ciphers",
        ])
    func copied(name: String) throws {
        let (database, report) = try seal(name)
        let connection = try database.connect()
        #expect(report.pageCount > 0 && report.rowCount == 0)
        // A new SQLCipher also reserves 80 bytes in a file that it makes for an old one.
        #expect(report.reservedByteCount == 80)
        #expect(try connection.integer("PRAGMA page_count") == Int64(report.pageCount))
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        #expect(try database.verify().findings.isEmpty)
    }

    @Test("pages without room for a seal, and pages that get another size, are copied row by row")
    func copiedByRows() throws {
        for (name, size) in [("chacha20", nil), ("sqlcipher-4", 8192)] as [(String, Int?)] {
            let (database, report) = try seal(name, pageSize: size)
            #expect(report.pageCount == 0 && report.rowCount == 40 && report.reservedByteCount == 48)
            #expect(try database.connect().integer("SELECT count(*) FROM t") == 40)
        }
    }

    @Test("a database that needs functions and collations of its program is copied without them")
    func functions() throws {
        let (database, report) = try seal("sqlcipher-functions")
        #expect(report.pageCount == 58_368 / 1024)
        let bare = try database.connect()
        #expect(try bare.integer("PRAGMA freelist_count") > 0)
        #expect(try bare.integer("SELECT sum(length(c)) FROM t") == 820)
        #expect(throws: SealedFileError.self) { try bare.text(Self.texts) }
        // SQLite doesn't use a table again after it has missed the collation of its key.
        let connection = try database.connect()
        addFunctions(connection)
        #expect(try connection.text(Self.texts) == Self.expected)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
    }

    @Test("a sealed file that reserves 80 bytes is written, packed, backed up, decrypted and gets other keys")
    func reserving() throws {
        let database = try seal("sqlcipher-4").database
        let connection = try database.connect()
        try connection.execute(
            "INSERT INTO t(b, c) VALUES ('more', randomblob(20000)); DELETE FROM t WHERE a < 10; VACUUM")
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        let sum = "SELECT count(*) || ' ' || sum(length(c)) FROM t"
        let content = try connection.text(sum)
        let rotation = try KeyRotation(of: database)
        try rotation.supply(.rawKey(SecretBytes(PlainDatabase.key)))
        _ = try rotation.run()
        #expect(try database.verify().findings.isEmpty)
        _ = try database.backup(to: folder.file("backup.db"))
        let backup = try SealedDatabase.open(folder.file("backup.db"), key: .rawKey(SecretBytes(PlainDatabase.key)))
        #expect(try backup.connect().text(sum) == content)
        #expect(try database.decrypt(to: folder.file("plain.db")).reservedByteCount == 0)
        #expect(try PlainDatabase.connect(folder.file("plain.db")).text(sum) == content)
    }

    @Test("what is left of a damaged file that reserves 80 bytes is found, also without its first page")
    func salvage() throws {
        let path = try seal("sqlcipher-functions").database.path
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        for page in [1, bytes.count / 1024 - 8] {
            var damaged = bytes
            damaged[8192 + (page - 1) * 1024 + 200] ^= 1
            try Data(damaged).write(to: URL(filePath: path))
            let database = try SealedDatabase.open(path, key: .rawKey(SecretBytes(PlainDatabase.key)))
            let report = try database.salvage(to: folder.file("rest-\(page).db"))
            #expect(report.lostPages == [UInt32(page)...UInt32(page)])
            guard page == 1 else { continue }
            let rest = try SealedDatabase.open(
                folder.file("rest-1.db"), key: .rawKey(SecretBytes(PlainDatabase.key)))
            let texts = Self.texts.replacing("d FROM u", with: "c1 AS d FROM lost_and_found WHERE c0 LIKE 'key%'")
            #expect(try rest.connect().text(texts) == Self.expected)
        }
    }

    /// The numbers of those pages, by default of all but the first, that may have only zeros in a fixture that is sealed.
    private func dispensable(_ name: String, of numbers: [Int]? = nil) throws -> [Int] {
        let fixture = try ForeignFixture.named(name)
        let encryption = try fixture.encryption
        let path = folder.file("damaged.db")
        let whole = try Data(contentsOf: URL(filePath: "\(ForeignFixture.folder)/\(name).db"))
        try whole.write(to: URL(filePath: path))
        let pageSize = try ForeignFile(path, encryption, fixture.key).pageSize
        return try (numbers ?? Array(2...whole.count / pageSize)).filter { number in
            var damaged = whole
            let range = (number - 1) * pageSize..<number * pageSize
            damaged.replaceSubrange(range, with: [UInt8](repeating: 0, count: pageSize))
            try damaged.write(to: URL(filePath: path))
            let target = folder.file("without-\(number).db")
            do throws(SealedFileError) {
                _ = try SealedDatabase.encrypt(
                    foreign: path, as: encryption, key: fixture.key, to: target, slot: PlainDatabase.slot)
                return true
            } catch {
                #expect(error.code == .damagedPage && error.page == UInt32(number), "\(error)")
                #expect(!FileManager.default.fileExists(atPath: target))
                return false
            }
        }
    }

    @Test(
        "a page that has only zeros is lost, and named, as its program encrypts each page",
        arguments: ["sqlcipher-settings", "chacha20"])
    func zeros(name: String) throws { #expect(try dispensable(name) == []) }

    @Test("a free page may have only zeros")
    func freeZeros() throws {
        let connection = try seal("sqlcipher-functions").database.connect()
        let free = try connection.integer("PRAGMA freelist_count")
        let used = Set(try connection.texts("SELECT pageno FROM dbstat"))
        let count = try Int(connection.integer("PRAGMA page_count"))
        let others = (1...count).filter { !used.contains("\($0)") }
        #expect(free > 1 && others.count == Int(free))
        // The others are leaves of the list's first page.
        #expect(try dispensable("sqlcipher-functions", of: others).count == Int(free) - 1)
    }
}
