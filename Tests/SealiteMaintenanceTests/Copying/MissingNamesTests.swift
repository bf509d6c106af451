import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("databases that need collations and functions of their own program")
struct MissingNamesTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Every place in which SQLite looks for a name when it creates a table or index, and some in which it doesn't.
    private static let schema = """
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT COLLATE LOCALIZED, low AS (fold(name)), town,
            CHECK (fold(town) <> ''), UNIQUE (name, town));
        CREATE TABLE pair(a TEXT COLLATE localized PRIMARY KEY, b AS (fold(a)) STORED) WITHOUT ROWID;
        CREATE TABLE free(a, b DEFAULT (fold('x')));
        CREATE INDEX by_low ON person(low); CREATE INDEX by_town ON person(town COLLATE LOCALIZED) WHERE fold(town) > 'a';
        CREATE VIEW v AS SELECT fold(a), unknown(a) FROM free ORDER BY a COLLATE ELSEWHERE;
        CREATE TRIGGER g AFTER INSERT ON free BEGIN SELECT other(NEW.a); END;
        """
    private static let rows = """
        INSERT INTO person(name, town) VALUES ('Ägir', 'Basel'), ('bea', 'aarau'), ('Anna', 'Zug'), ('anna', 'bern');
        INSERT INTO pair(a) VALUES ('b'), ('A'), ('c'); INSERT INTO pair(a) SELECT 'x' || id FROM person;
        """
    private static let everyName = """
        needs what only its own program has: the collation LOCALIZED (table "person", table "pair", index "by_town") \
        and the function fold (table "person", table "pair", index "by_low", index "by_town")
        """

    private func makePlain(_ fileName: String, _ library: TestExtension, mode: String = "DELETE") throws -> String {
        let path = folder.file(fileName)
        let connection = try PlainDatabase.connect(path)
        try connection.load(extensions: [library.path])
        try connection.execute("PRAGMA journal_mode=\(mode); \(Self.schema) \(Self.rows)")
        return path
    }

    private func content(_ connection: RawConnection, _ library: TestExtension) throws -> [String] {
        try connection.load(extensions: [library.path])
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        return try Content.of(connection)
    }

    @Test(
        "an extension supplies them to encrypt, decrypt, backup, verify, salvage and compact",
        arguments: ["DELETE", "WAL"])
    func withExtension(mode: String) throws {
        let library = try TestExtension()
        let plain = try makePlain("plain.db", library, mode: mode)
        // The view names functions that nobody has; the tables aren't read through it.
        let before = try content(try PlainDatabase.connect(plain), library)
        var options = EncryptionOptions()
        options.extensions = [library.path]
        let sealed = try SealedDatabase.encrypt(
            plain: plain, to: folder.file("sealed.db"), slot: PlainDatabase.slot, options: options
        ).database
        #expect(try content(try sealed.connect(), library) == before)
        let back = try sealed.decrypt(to: folder.file("back.db"))
        #expect(back.reservedByteCount == 0)
        #expect(try content(try PlainDatabase.connect(folder.file("back.db")), library) == before)
        #expect(try sealed.backup(to: folder.file("backup.db")).integrity == .ok)
        #expect(try sealed.verify().integrity == .ok)
        let report = try sealed.salvage(to: folder.file("salvaged.db"))
        #expect(report.isComplete, "\(report)")
        let key = UnlockKey.rawKey(SecretBytes(PlainDatabase.key))
        let salvaged = try SealedDatabase.open(folder.file("salvaged.db"), key: key)
        #expect(try content(try salvaged.connect(), library) == before)
        #expect(try sealed.returnFreePages(.always).isDone)
        #expect(try content(try sealed.connect(), library) == before)
    }

    @Test("without one a copy is refused before it begins, with every name and its users, and salvage names it")
    func withoutExtension() throws {
        let library = try TestExtension()
        let plain = try makePlain("plain.db", library)
        #expect(throws: SealedFileError(.refused, "\"\(plain)\" \(Self.everyName)")) {
            try SealedDatabase.encrypt(plain: plain, to: folder.file("none.db"), slot: PlainDatabase.slot)
        }
        var options = EncryptionOptions()
        options.extensions = [library.path]
        _ = try SealedDatabase.encrypt(
            plain: plain, to: folder.file("sealed.db"), slot: PlainDatabase.slot, options: options)
        let key = UnlockKey.rawKey(SecretBytes(PlainDatabase.key))
        let sealed = try SealedDatabase.open(folder.file("sealed.db"), key: key)
        let refusal = #expect(throws: SealedFileError.self) { try sealed.decrypt(to: folder.file("none.db")) }
        #expect(refusal?.reason.contains(Self.everyName) == true)
        // Neither a finding of damage, nor a sound database.
        let report = try sealed.verify()
        #expect(report.isSound && report.integrity == .skipped, "\(report)")
        #expect(report.findings.contains { $0.part == .content && $0.reason.contains("LOCALIZED") })
        #expect(try sealed.backup(to: folder.file("backup.db")).integrity == .skipped)
        #expect(throws: SealedFileError(.refused, "")) { try sealed.returnFreePages(.always) }
        let salvage = try sealed.salvage(to: folder.file("salvaged.db"))
        #expect(salvage.schemaFailures.contains { $0.name == "person" && $0.isNameMissing })
        #expect(salvage.lostAndFoundRowCount == 11)
        #expect(folder.names == ["backup.db", "plain.db", "salvaged.db", "sealed.db"])
    }

    @Test("what isn't an extension of SQLite is refused, and none stays enabled for SQL")
    func unusableExtension() throws {
        let library = try TestExtension()
        let plain = try makePlain("plain.db", library)
        for (path, code) in [(plain, SealedFileError.Code.invalidArgument), (folder.file("no.so"), .noSuchFile)] {
            var options = EncryptionOptions()
            options.extensions = [path]
            #expect(throws: SealedFileError(code, "")) {
                try SealedDatabase.encrypt(
                    plain: plain, to: folder.file("none.db"), slot: PlainDatabase.slot, options: options)
            }
        }
        let connection = try RawConnection.inMemory(path: "memory")
        try connection.load(extensions: [library.path])
        #expect(throws: SealedFileError.self) { try connection.query("SELECT load_extension('\(library.path)')") }
        #expect(folder.names == ["plain.db"])
    }
}
