import CSQLite
import Foundation
import Glibc
import SealiteBase
import SealiteCrypto
import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

/// A database of `Fixtures/Foreign`, which another program encrypted, and what opens it.
struct ForeignFixture: Decodable, CustomTestStringConvertible, Sendable {
    struct Index: Decodable {
        let rows: Int
        let files: [ForeignFixture]
    }

    let name: String
    let cipher: String
    let settings: [String]
    let passphrase: String?
    let rawKey: String?

    static let folder = Golden.root + "/Fixtures/Foreign"
    static let index = Result {
        try JSONDecoder().decode(Index.self, from: Data(contentsOf: URL(filePath: folder + "/settings.json")))
    }
    static let all = (try? index.get().files) ?? []
    static func named(_ name: String) throws -> ForeignFixture { try #require(all.first { $0.name == name }) }

    var testDescription: String { name }

    var encryption: ForeignEncryption {
        get throws {
            var encryption = ForeignEncryption(try #require(ForeignEncryption.Cipher(rawValue: cipher)))
            for setting in settings {
                let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
                try encryption.set(parts[0], to: parts[1])
            }
            return encryption
        }
    }

    var key: ForeignKey {
        guard let rawKey, let bytes = SecretText.bytes(fromHex: SecretBytes(copying: rawKey)) else {
            return .passphrase(SecretBytes(copying: passphrase ?? ""))
        }
        return .rawKey(bytes)
    }

    /// Copies the file and its log, if it has one, to a folder, and returns the path.
    func copy(to folder: Folder) throws -> String {
        let path = folder.file(name + ".db")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: "\(Self.folder)/\(name).db\(suffix)") {
            try FileManager.default.copyItem(atPath: "\(Self.folder)/\(name).db\(suffix)", toPath: path + suffix)
        }
        return path
    }
}

@Suite("copies of databases that other programs encrypted")
struct ForeignCopyTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func seal(
        _ path: String, _ fixture: ForeignFixture, as encryption: ForeignEncryption? = nil,
        to name: String = "sealed.db"
    ) throws -> SealedDatabase {
        try SealedDatabase.encrypt(
            foreign: path, as: try encryption ?? fixture.encryption, key: fixture.key, to: folder.file(name),
            slot: PlainDatabase.slot, acceptsUnauthenticated: true
        ).database
    }

    private func error(_ body: () throws -> Void) throws -> SealedFileError {
        try #require(#expect(throws: SealedFileError.self) { try body() })
    }

    private static let count = "SELECT count(*) || ' ' || sum(length(c)) || ' ' || max(b) FROM t"

    @Test("there is a file of every form")
    func forms() throws {
        #expect(ForeignFixture.all.count == 19)
        #expect(Set(ForeignFixture.all.map(\.cipher)) == Set(ForeignEncryption.Cipher.allCases.map(\.rawValue)))
    }

    @Test(
        "every form gives the rows that its program wrote, and the file stays as it is", arguments: ForeignFixture.all)
    func everyForm(fixture: ForeignFixture) throws {
        let path = try fixture.copy(to: folder)
        let before = try Data(contentsOf: URL(filePath: path))
        let sealed = try seal(path, fixture)
        let connection = try sealed.connect()
        #expect(try connection.text(Self.count) == "40 820 row 9")
        #expect(try connection.integer("SELECT a FROM t WHERE b = 'row 17'") == 17)
        if fixture.name != "sqlcipher-functions" {
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
        }
        #expect(try connection.text("PRAGMA journal_mode") == (fixture.name.hasSuffix("-wal") ? "wal" : "delete"))
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test("a form without authentication is refused unless it is accepted")
    func unauthenticated() throws {
        for fixture in ForeignFixture.all where try !fixture.encryption.isAuthenticated {
            let path = try fixture.copy(to: folder)
            let refused = try error {
                _ = try SealedDatabase.encrypt(
                    foreign: path, as: try fixture.encryption, key: fixture.key, to: folder.file("no.db"),
                    slot: PlainDatabase.slot)
            }
            #expect(refused.code == .refused && refused.reason.contains("without authentication"), "\(fixture.name)")
            #expect(!folder.names.contains("no.db"))
        }
    }

    @Test("a wrong passphrase, settings of another version, a plain file and no database are told apart")
    func toldApart() throws {
        let fixture = try ForeignFixture.named("sqlcipher-3")
        let path = try fixture.copy(to: folder)
        let settings = try error { _ = try seal(path, fixture, as: ForeignEncryption(.sqlcipher)) }
        #expect(
            settings.code == .wrongKey && settings.reason.contains("the key opens it as SQLCipher 3"), "\(settings)")
        let key = try error {
            _ = try SealedDatabase.encrypt(
                foreign: path, as: try fixture.encryption, key: .passphrase(SecretBytes(copying: "another")),
                to: folder.file("no.db"), slot: PlainDatabase.slot)
        }
        #expect(
            key.code == .wrongKey && key.reason.contains("the key of") && !key.reason.contains("opens it"), "\(key)")
        let header = try ForeignFixture.named("sqlcipher-plain-header")
        let plainHeader = try error {
            _ = try seal(try header.copy(to: folder), header, as: ForeignEncryption(.sqlcipher))
        }
        #expect(plainHeader.code == .wrongKey && plainHeader.hint?.contains("cipher_plaintext_header_size") == true)
        try PlainDatabase.make(folder.file("plain.db"), "CREATE TABLE t(a)")
        #expect(try error { _ = try seal(folder.file("plain.db"), fixture) }.code == .plainDatabase)
        try Data("short".utf8).write(to: URL(filePath: folder.file("short.db")))
        #expect(try error { _ = try seal(folder.file("short.db"), fixture) }.code == .notSealed)
        #expect(try error { _ = try seal(folder.file("none.db"), fixture) }.code == .noSuchFile)
        _ = try SealedDatabase.encrypt(
            plain: folder.file("plain.db"), to: folder.file("before.db"), slot: PlainDatabase.slot)
        let sealed = try error { _ = try seal(folder.file("before.db"), fixture) }
        #expect(sealed.code == .refused && sealed.reason.hasSuffix("is sealed already"), "\(sealed)")
        #expect(!folder.names.contains("sealed.db"))
    }

    /// Checksums of a log need no key.
    @Test("the page numbers in a log, which anybody can write, ask for no memory")
    func forgedLog() throws {
        func bytes(_ numbers: [UInt32]) -> [UInt8] { numbers.flatMap { [UInt8].littleEndian($0.byteSwapped) } }
        var log = bytes([0x377F_0683, 3_007_000, 512, 0, 1, 2])
        var sums = WALChecksum.sums(log[...], from: (0, 0), bigEndian: true)
        log += bytes([sums.0, sums.1])
        let (place, page) = (bytes([.max, .max]), [UInt8](repeating: 7, count: 512))
        sums = WALChecksum.sums(place[...], from: sums, bigEndian: true)
        sums = WALChecksum.sums(page[...], from: sums, bigEndian: true)
        log += place + bytes([1, 2, sums.0, sums.1]) + page
        let path = folder.file("f.db-wal")
        // SQLite takes the mode of a log from its database.
        try Data().write(to: URL(filePath: folder.file("f.db")))
        try Data(log).write(to: URL(filePath: path))
        let handle = try BaseHandle(path, vfs: "unix", flags: SQLITE_OPEN_READONLY, kind: SQLITE_OPEN_WAL)
        let read = try #require(try ForeignLog(handle.file, pageSize: 512))
        #expect(read.pageCount == .max)
        #expect(read.pageCount(inFile: 3) == 8)
    }

    @Test("settings that a cipher doesn't have, or that are out of bounds, are refused")
    func settings() throws {
        for (cipher, name, value) in [
            (ForeignEncryption.Cipher.sqlcipher, "kdf_iter", "0"), (.sqlcipher, "kdf_iter", "99999999999"),
            (.sqlcipher, "cipher_page_size", "1000"), (.sqlcipher, "cipher_page_size", "131072"),
            (.sqlcipher, "cipher_compatibility", "5"), (.sqlcipher, "cipher_salt", "ab"),
            (.sqlcipher, "cipher_plaintext_header_size", "112"), (.sqlcipher, "cipher_hmac_algorithm", "HMAC_MD5"),
            (.chacha20, "cipher_use_hmac", "OFF"), (.aes128cbc, "kdf_iter", "5"), (.chacha20, "unknown", "1"),
        ] {
            var encryption = ForeignEncryption(cipher)
            #expect(throws: SealedFileError.self, "\(name)") { try encryption.set(name, to: value) }
            #expect(encryption == ForeignEncryption(cipher))
        }
    }

    @Test("a changed byte anywhere is noticed, and named by its page", arguments: ["sqlcipher-settings", "chacha20"])
    func changedBytes(name: String) throws {
        let fixture = try ForeignFixture.named(name)
        let path = try fixture.copy(to: folder)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let size = name == "chacha20" ? 4096 : 1024
        var random = SeededRandom()
        // A rewritten page has another byte in each part: text, vector, code, and the padding after them.
        for page in 1..<bytes.count / size {
            for offset in [0, 1, size / 2, size - 81, size - 80, size - 49, size - 40, size - 33, size - 32, size - 17]
            {
                var changed = bytes
                changed[page * size + offset] ^= UInt8.random(in: 1...255, using: &random)
                try Data(changed).write(to: URL(filePath: path))
                let found = try error { _ = try seal(path, fixture) }
                #expect(found.code == .damagedPage && found.page == UInt32(page + 1), "\(page) \(offset) \(found)")
            }
        }
        #expect(folder.names == [name + ".db"])
    }

    @Test("the undamaged rest of a file can be carried over, and what is lost is told")
    func salvage() throws {
        let fixture = try ForeignFixture.named("sqlcipher-settings")
        let path = try fixture.copy(to: folder)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        // The last page is a leaf of the table or of its index.
        bytes[bytes.count - 500] ^= 1
        try Data(bytes).write(to: URL(filePath: path))
        let report = try SealedDatabase.salvage(
            foreign: path, as: try fixture.encryption, key: fixture.key, to: folder.file("rest.db"),
            slot: PlainDatabase.slot)
        #expect(report.lostPages == [UInt32(bytes.count / 1024)...UInt32(bytes.count / 1024)])
        #expect(report.pageCount == bytes.count / 1024 && !report.isComplete)
        let rest = try SealedDatabase.open(folder.file("rest.db"), key: .rawKey(SecretBytes(PlainDatabase.key)))
        #expect(try rest.connect().integer("SELECT count(*) FROM t") == Int64(report.rowCount))
        // Nothing is lost of an undamaged file.
        let whole = try SealedDatabase.salvage(
            foreign: try ForeignFixture.named("sqlcipher-wal").copy(to: folder),
            as: try ForeignFixture.named("sqlcipher-wal").encryption, key: fixture.key, to: folder.file("whole.db"),
            slot: PlainDatabase.slot)
        #expect(whole.isComplete && whole.rowCount == 40)
    }

    @Test(
        "a log that ends in a torn frame gives the state of its last commit before",
        arguments: ["sqlcipher-wal", "chacha20-wal"])
    func tornLog(name: String) throws {
        let fixture = try ForeignFixture.named(name)
        let path = try fixture.copy(to: folder)
        let log = [UInt8](try Data(contentsOf: URL(filePath: path + "-wal")))
        for length in [0, 31, 32, 100, log.count - 1] {
            try Data(log[..<length]).write(to: URL(filePath: path + "-wal"))
            let sealed = try seal(path, fixture, to: "sealed-\(length).db")
            #expect(try sealed.connect().integer("SELECT count(*) FROM t") == 20, "\(length)")
        }
        // Frames that were changed with their checksums aren't authentic.
        var random = SeededRandom()
        for index in 0..<40 {
            var changed = log
            for _ in 0...index / 20 {
                changed[Int.random(in: 0..<log.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
            try Data(changed).write(to: URL(filePath: path + "-wal"))
            let sealed = try seal(path, fixture, to: "changed-\(index).db")
            #expect([20, 40].contains(try sealed.connect().integer("SELECT count(*) FROM t")))
        }
    }

    @Test("an unfinished transaction in a rollback journal is named, and nothing is copied")
    func hotJournal() throws {
        let fixture = try ForeignFixture.named("sqlcipher-settings")
        let path = try fixture.copy(to: folder)
        try Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7, 0, 0, 0, 1]).write(
            to: URL(filePath: path + "-journal"))
        let found = try error { _ = try seal(path, fixture) }
        #expect(found.code == .busy && found.reason.contains("rollback journal"))
        // A journal that was made empty or zero is no obstacle.
        try Data([UInt8](repeating: 0, count: 28)).write(to: URL(filePath: path + "-journal"))
        #expect(try seal(path, fixture).connect().integer("SELECT count(*) FROM t") == 40)
    }

    @Test("a raw key is taken from its file in each of its forms, and from a passphrase that SQLCipher takes for one")
    func rawKeys() throws {
        let fixture = try ForeignFixture.named("sqlcipher-raw-key")
        let digits = try #require(fixture.rawKey)
        let file = folder.file("old.key")
        for text in [digits, digits + "\n", digits.uppercased() + "\r\n", "x'\(digits)'", "X'\(digits)'\n"] {
            try Data(text.utf8).write(to: URL(filePath: file))
            #expect(unsafe chmod(file, 0o600) == 0)
            switch try ForeignKey.rawKey(from: .path(file)) {
            case .rawKey(let bytes):
                let isRight = bytes.isEqual(to: SecretBytes(copying: [UInt8](repeating: 0xAB, count: 32)))
                #expect(isRight, "\(text)")
            case .passphrase: Issue.record("a passphrase")
            }
        }
        for text in ["", "ab", digits + "a", "x'\(digits)", String(repeating: "g", count: 64)] {
            try Data(text.utf8).write(to: URL(filePath: file))
            #expect(throws: SealedFileError.self, "\(text)") { _ = try ForeignKey.rawKey(from: .path(file)) }
        }
        let database = try SealedDatabase.encrypt(
            foreign: try fixture.copy(to: folder), as: try fixture.encryption,
            key: .passphrase(SecretBytes(copying: "x'\(digits)'")), to: folder.file("sealed.db"),
            slot: PlainDatabase.slot)
        #expect(try database.database.connect().integer("SELECT count(*) FROM t") == 40)
    }
}
