import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("schemas of every kind")
struct SchemaCorpusTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test(
        "encrypt, decrypt, backup, salvage and rotate give the same database",
        arguments: CorpusSchema.all.enumerated().map { $0 })
    func sameDatabase(number: Int, schema: CorpusSchema) throws {
        let mode = number % 2 == 0 ? "DELETE" : "WAL"
        let plain = folder.file("plain.db")
        do {
            let connection = try PlainDatabase.connect(plain)
            unsafe sealite_configure(
                connection.handle, SQLITE_DBCONFIG_LEGACY_FILE_FORMAT, schema.isOfSQLite30 ? 1 : 0)
            try connection.execute("\(schema.settings); PRAGMA journal_mode=\(mode); \(schema.sql)")
        }
        let before = try Content.of(try PlainDatabase.connect(plain))
        let sealed = try SealedDatabase.encrypt(plain: plain, to: folder.file("sealed.db"), slot: PlainDatabase.slot)
            .database
        #expect(try Content.of(try sealed.connect()) == before)
        #expect(try isIntact(sealed.connect()) && sealed.verify().isSound)
        _ = try sealed.decrypt(to: folder.file("back.db"))
        #expect(try Content.of(try PlainDatabase.connect(folder.file("back.db"))) == before)
        #expect(try isIntact(PlainDatabase.connect(folder.file("back.db"))))
        _ = try sealed.backup(to: folder.file("backup.db"))
        let key = UnlockKey.rawKey(SecretBytes(PlainDatabase.key))
        #expect(try Content.of(try SealedDatabase.open(folder.file("backup.db"), key: key).connect()) == before)
        let report = try sealed.salvage(to: folder.file("salvaged.db"))
        #expect(report.isComplete, "\(report)")
        let salvaged = try SealedDatabase.open(folder.file("salvaged.db"), key: key).connect()
        #expect(try Content.of(salvaged) == before)
        let rotation = try KeyRotation(of: sealed)
        try rotation.supply(key)
        _ = try rotation.run()
        #expect(try Content.of(try sealed.connect()) == before)
        #expect(try isIntact(sealed.connect()) && sealed.verify().isSound)
    }

    /// SQLite 3.44 and later check virtual tables too, and can't without their tokenizers.
    private func isIntact(_ connection: RawConnection) throws -> Bool {
        do {
            return try connection.text("PRAGMA integrity_check") == "ok"
        } catch {
            guard error.reason.contains("unknown tokenizer: mozporter") else { throw error }
            return true
        }
    }

    @Test("there are sixty schemas, each with a name of its own")
    func count() {
        #expect(CorpusSchema.all.count == 60 && Set(CorpusSchema.all.map(\.name)).count == 60)
    }
}
