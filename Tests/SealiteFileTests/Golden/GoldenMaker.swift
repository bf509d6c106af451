import CSQLite
import Foundation
import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import Testing

@testable import SealiteFile

/// Makes the golden files. Runs only on request, and never writes over one that is there:
///
///     SEALITE_MAKE_GOLDEN=1 swift test --filter GoldenMaker
@Suite("golden files, made on request", .enabled(if: ProcessInfo.processInfo.environment["SEALITE_MAKE_GOLDEN"] != nil))
struct GoldenMaker {
    private let scratch: SealedScratch
    init() throws {
        scratch = try SealedScratch()
        try FileManager.default.createDirectory(atPath: Golden.folder, withIntermediateDirectories: true)
    }

    private static let rawKey = [UInt8](0..<32)
    private static let privateKey = [UInt8](repeating: 0x5A, count: 31) + [1]
    private static let raw = GoldenNote.Key(kind: "raw-key", hex: rawKey.hex)

    private func create(_ name: String, pageSize: Int = 4096, mode: String = "DELETE") throws -> SealedDatabase {
        let database = try SealedDatabase.create(
            scratch.path(name), slot: .rawKey(secret(Self.rawKey)),
            options: CreationOptions(pageSize: pageSize, label: "raw"))
        _ = try database.connect().text("PRAGMA journal_mode=\(mode)")
        return database
    }

    /// Rows of every type, an index, a page of overflow, free pages.
    private func fill(_ connection: RawConnection, count: Int = 40) throws {
        try connection.execute(
            """
            CREATE TABLE notes(id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT, picture BLOB, stars REAL);
            CREATE INDEX notes_by_title ON notes(title);
            CREATE TABLE gone(x);
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(count))
            INSERT INTO notes SELECT x, 'note ' || x || ' Grüße', hex(zeroblob(x * 3)), zeroblob(x * 7), x / 3.0 FROM n;
            INSERT INTO gone VALUES (hex(zeroblob(5000)));
            DROP TABLE gone;
            PRAGMA user_version = 7;
            """)
    }

    /// Copies a database into the folder of golden files, with its note.
    private func keep(
        _ name: String, as goldenName: String? = nil, made: String, keys: [GoldenNote.Key], plain: [UInt8], notes: Int,
        pageSize: Int = 4096
    ) throws {
        let golden = goldenName ?? name
        var files: [GoldenNote.File] = []
        for suffix in ["", "-wal", "-journal", "-rotate"] where scratch.exists(name + suffix) {
            let bytes = try scratch.bytes(name + suffix)
            try write(Data(bytes), golden + suffix)
            files.append(GoldenNote.File(name: golden + suffix, sha256: try Golden.sha256(bytes)))
        }
        let note = GoldenNote(
            name: golden, made: made + "; SQLite \(unsafe String(cString: sqlite3_libversion()))", pageSize: pageSize,
            keys: keys, files: files, plainSHA256: try Golden.sha256(plain), noteCount: notes)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try write(try encoder.encode(note) + Data("\n".utf8), golden.replacing(".db", with: "") + ".json")
    }

    private func write(_ data: Data, _ name: String) throws {
        try data.write(to: URL(fileURLWithPath: Golden.folder + "/" + name), options: .withoutOverwriting)
    }

    @Test("one file per page size", arguments: [1024, 2048, 4096, 8192, 16384, 32768, 65536])
    func pageSizes(pageSize: Int) throws {
        let database = try create("page-\(pageSize).db", pageSize: pageSize)
        let connection = try database.connect()
        try fill(connection)
        try keep(
            "page-\(pageSize).db", made: "a new database of \(pageSize)-byte pages, 40 rows, journal_mode DELETE",
            keys: [Self.raw], plain: Golden.plainBytes(connection), notes: 40, pageSize: pageSize)
    }

    @Test("passphrase and recovery slots, three passphrases with labels, all twelve slots")
    func slots() throws {
        let passphrase = "correct horse battery staple"
        let paper = RecoveryKeyText.paper(Self.privateKey)
        let passphraseKey = GoldenNote.Key(kind: "passphrase", passphrase: passphrase)
        let recoveryKey = GoldenNote.Key(kind: "recovery", hex: Self.privateKey.hex, paper: paper)
        let cheap = Scrypt.Cost(logN: 4, r: 8, p: 1)
        let first = try SealedDatabase.create(
            scratch.path("slot-passphrase.db"), slot: .passphrase(NewPassphrase(secret(passphrase), cost: cheap)),
            options: CreationOptions(label: "Ana"))
        var connection = try first.connect()
        try fill(connection)
        try keep(
            "slot-passphrase.db", made: "one passphrase slot at log2 N = 4", keys: [passphraseKey],
            plain: Golden.plainBytes(connection), notes: 40)

        let recovery = try RecoveryKey(privateKey: secret(Self.privateKey))
        let second = try SealedDatabase.create(scratch.path("slot-recovery.db"), slot: .recovery(recovery))
        connection = try second.connect()
        try fill(connection)
        try keep(
            "slot-recovery.db", made: "one recovery slot, no label", keys: [recoveryKey],
            plain: Golden.plainBytes(connection), notes: 40)

        let third = try create("slots-twelve.db")
        try third.addSlot(.recovery(recovery), label: "schlüssel im safe")
        var keys = [Self.raw, recoveryKey]
        for index in 3...12 {
            let text = "passphrase \(index)"
            try third.addSlot(
                .passphrase(
                    NewPassphrase(
                        secret(text), cost: Scrypt.Cost(logN: 1 + index % 3, r: index % 4 + 1, p: 1 + index % 2))),
                label: index == 12 ? String(repeating: "x", count: 32) : index % 2 == 0 ? "" : "slot \(index)")
            keys.append(GoldenNote.Key(kind: "passphrase", passphrase: text))
        }
        connection = try third.connect()
        try fill(connection)
        try keep(
            "slots-twelve.db", made: "all twelve slots in use, added one by one", keys: keys,
            plain: Golden.plainBytes(connection), notes: 40)
    }

    @Test("a recovery slot that a backup and a rotation carried over")
    func recoverySlots() throws {
        let recovery = try RecoveryKey(privateKey: secret(Self.privateKey))
        let recoveryKey = GoldenNote.Key(
            kind: "recovery", hex: Self.privateKey.hex, paper: RecoveryKeyText.paper(Self.privateKey))
        let source = try create("source.db")
        try source.addSlot(.recovery(recovery), label: "recovery")
        try fill(try source.connect())
        _ = try source.backup(to: scratch.path("slot-recovery-rotated.db"))
        let copy = try SealedDatabase.open(
            scratch.path("slot-recovery-rotated.db"), key: .rawKey(secret(Self.rawKey)))
        let rotation = try KeyRotation(of: copy)
        try rotation.keepRecoverySlot(publicKey: recovery.publicKey)
        _ = try rotation.run()
        try keep(
            "slot-recovery-rotated.db",
            made: "a backup whose keys were rotated: its recovery slot was carried over twice",
            keys: [Self.raw, recoveryKey], plain: Golden.plainBytes(try copy.connect()), notes: 40)
    }

    @Test("a log that no checkpoint has carried over", arguments: [1024, 4096])
    func wal(pageSize: Int) throws {
        let name = "wal-\(pageSize).db"
        let database = try create(name, pageSize: pageSize, mode: "WAL")
        let connection = try database.connect()
        try connection.execute("PRAGMA wal_autocheckpoint=0")
        try fill(connection)
        _ = try connection.integer("PRAGMA wal_checkpoint(PASSIVE)")
        try connection.execute(
            "UPDATE notes SET body = 'changed ' || id WHERE id % 2 = 0; DELETE FROM notes WHERE id > 35")
        try connection.execute(
            "PRAGMA cache_size=2; BEGIN; INSERT INTO notes(title) VALUES ('rolled back'); UPDATE notes SET body = body || '?'; ROLLBACK"
        )
        try connection.execute("INSERT INTO notes(title, body) VALUES ('last', 'committed')")
        let plain = Golden.plainBytes(connection)
        // A transaction that spilled and hasn't ended: its frames are in the log, behind the last commit.
        try connection.execute("BEGIN; UPDATE notes SET body = 'uncommitted'")
        try keep(
            name,
            made:
                "journal_mode WAL, one passive checkpoint, then commits, a rolled-back and an unfinished transaction in the log",
            keys: [Self.raw], plain: plain, notes: 36, pageSize: pageSize)
        try connection.execute("ROLLBACK")
    }

    @Test("a journal that a crash left", arguments: [1024, 4096])
    func hotJournal(pageSize: Int) throws {
        let name = "hot-journal-\(pageSize).db"
        let database = try create(name, pageSize: pageSize)
        let connection = try database.connect()
        try fill(connection, count: 30)
        let rows = try connection.dump("SELECT * FROM notes")
        try connection.execute(
            """
            PRAGMA cache_size=3;
            BEGIN;
            UPDATE notes SET body = 'half done ' || id || hex(zeroblob(60));
            INSERT INTO notes(title, body) SELECT title || '!', body FROM notes;
            """)
        // Rolled back by SQLite itself. Free pages keep what the transaction wrote to them: SQLite doesn't journal those.
        try scratch.copy(name, to: "rolled-back.db")
        let rolledBack = try SealedDatabase.open(scratch.path("rolled-back.db"), key: .rawKey(secret(Self.rawKey)))
        let other = try rolledBack.connect()
        #expect(try other.dump("SELECT * FROM notes") == rows)
        let plain = Golden.plainBytes(other)
        try keep(
            name, made: "copied in the middle of a transaction that had spilled pages into the file",
            keys: [Self.raw], plain: plain, notes: 30, pageSize: pageSize)
        try connection.execute("ROLLBACK")
    }

    @Test("a file in the middle of a rotation, cut off while a batch was being written")
    func rotation() throws {
        let name = "rotation-1024.db"
        let database = try create(name, pageSize: 1024)
        let connection = try database.connect()
        try fill(connection)
        let plain = Golden.plainBytes(connection)
        let rotation = try KeyRotation(of: database)
        rotation.pace = RotationPace(firstBatchByteCount: 4096, largestBatchByteCount: 4096, leastPause: 0)
        #expect(throws: SealedFileError(.cancelled, "")) {
            try rotation.run { $0.pagesDone >= 8 ? .stop : .proceed }
        }
        // As it was before the last batch was closed: one of its pages half written.
        let vfs = database.vfs.base
        let sidecar = try #require(
            try RotationSidecar(of: database.path, vfs: vfs, ring: database.ring, create: false))
        var batch = try #require(try sidecar.batch())
        batch.isOpen = true
        let key = try database.ring.subkey(.sidecar)
        var bytes = try scratch.bytes(name + "-rotate")
        let preamble = try batch.encoded(databaseID: database.ring.databaseID, key: key)
        bytes.replaceSubrange(..<preamble.count, with: preamble)
        try scratch.write(bytes, name + "-rotate")
        bytes = try scratch.bytes(name)
        let place = HeaderLayout.regionByteCount + Int(batch.pages[1] - 1) * 1024
        bytes.replaceSubrange(place..<place + 512, with: [UInt8](repeating: 0xEE, count: 512))
        try scratch.write(bytes, name)
        try keep(
            name,
            made:
                "a rotation of the keys stopped after 8 pages, its last batch open and page \(batch.pages[1]) half written",
            keys: [Self.raw], plain: plain, notes: 40, pageSize: 1024)
    }

    @Test("a file whose header copy 1 is damaged, and one whose copy 0 is older")
    func headerCopies() throws {
        let database = try create("header.db")
        let connection = try database.connect()
        try fill(connection)
        let plain = Golden.plainBytes(connection)
        let whole = try scratch.bytes("header.db")
        try database.addSlot(.rawKey(testKey()), label: "second")
        var changed = try scratch.bytes("header.db")
        changed.replaceSubrange(0..<4096, with: whole[0..<4096])
        try scratch.write(changed, "header-stale-copy.db")
        changed = whole
        changed[4096 + 1234] ^= 0x10
        try scratch.write(changed, "header-damaged-copy.db")
        let second = GoldenNote.Key(kind: "raw-key", hex: [UInt8](repeating: 7, count: 32).hex)
        try keep(
            "header-stale-copy.db", made: "a slot was added, and copy 0 of the header is the one before",
            keys: [Self.raw, second], plain: plain, notes: 40)
        try keep(
            "header-damaged-copy.db", made: "bit 4 of byte 1234 of header copy 1 flipped", keys: [Self.raw],
            plain: plain, notes: 40)
    }
}

/// A recovery key on paper. `Documentation/FORMAT.md` §5.4.
enum RecoveryKeyText {
    static func paper(_ key: [UInt8]) -> String {
        let sum = (try? SHA256.digest(of: Array("Sealite recovery key 2".utf8) + key)) ?? []
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (bits, count, text) = (0, 0, "")
        for byte in key + sum.prefix(3) {
            bits = bits << 8 | Int(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(alphabet[bits >> count & 31])
            }
            bits &= 1 << count - 1
        }
        let groups = stride(from: 0, to: text.count, by: 4).map { Array(text)[$0..<min($0 + 4, text.count)] }
        return groups.map { String($0) }.joined(separator: "-")
    }
}
