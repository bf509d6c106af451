import CSQLite
import Foundation
import SealiteCrypto
import SealiteFileTestSupport
import Synchronization
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("audit of a database")
struct AuditTests {
    private let scratch: SealedScratch
    init() throws { scratch = try SealedScratch() }

    @Test("every page and frame has a nonce of its own", arguments: [1 << 19, 7])
    func distinctNonces(shareLimit: Int) throws {
        let database = try scratch.create()
        let connection = try database.connect()
        try connection.fillNotes(300)
        try connection.execute("UPDATE notes SET body = body || 'x'")
        var audit = NonceAudit([
            try NonceSourceFile(
                .pages, try BaseHandle(database.path, vfs: "unix", flags: SQLITE_OPEN_READONLY), pageSize: 1024,
                allocated: .max),
            try NonceSourceFile(
                .frames, try #require(try database.sidecar("-wal", kind: SQLITE_OPEN_WAL)), pageSize: 1024,
                allocated: .max),
        ])
        var told: [Int] = []
        try audit.run(shareLimit: shareLimit) { done, _ in told.append(done) }
        #expect(zip(told, told.dropFirst()).allSatisfy { $0 < $1 }, "the progress never goes back")
        #expect(audit.summary.repeated.isEmpty)
        #expect(
            audit.summary.count == (try scratch.bytes("test.db").count - 8192) / 1024
                + (try scratch.bytes("test.db-wal").count - 32) / 1048)
        #expect(audit.summary.pagesByEpoch == [1: audit.summary.pageCount])
    }

    @Test("a page copied over another is a nonce used twice", arguments: [1 << 19, 7])
    func repeatedNonce(shareLimit: Int) throws {
        let database = try scratch.create(mode: "DELETE")
        try database.connect().fillNotes(100)
        var bytes = try scratch.bytes("test.db")
        bytes.replaceSubrange(8192 + 1024..<8192 + 2048, with: bytes[8192 + 9 * 1024..<8192 + 10 * 1024])
        try scratch.write(bytes, "test.db")
        var audit = NonceAudit([
            try NonceSourceFile(
                .pages, try BaseHandle(database.path, vfs: "unix", flags: SQLITE_OPEN_READONLY), pageSize: 1024,
                allocated: .max)
        ])
        try audit.run(shareLimit: shareLimit) { _, _ in }
        #expect(audit.summary.repeated.count == 1)
        let pair = try #require(audit.summary.repeated.first)
        #expect(Set([pair.first, pair.second]) == ["page 2", "page 10"])
        #expect(try !database.audit().isSound)
    }

    @Test("permissions and leftovers are reported, and nothing is touched")
    func filesAndLeftovers() throws {
        let database = try scratch.create(mode: "DELETE")
        #expect(try database.audit().isSound)
        try scratch.write([1, 2, 3], ".test.db.sealite-tmp-0123456789abcdef")
        unsafe chmod(database.path, 0o644)
        let report = try database.audit()
        #expect(report.leftovers.map(\.kind) == [.temporaryFile])
        let file = try #require(report.files.first { $0.role == .database })
        #expect(file.mode == "644" && file.concern == "others may read it")
        #expect(report.files.contains { $0.role == .folder && $0.mode == "700" })
    }

    @Test("a hot journal is a leftover; one in use isn't")
    func hotJournal() throws {
        let database = try scratch.create(mode: "DELETE")
        let connection = try database.connect()
        try connection.fillNotes(200)
        try connection.execute("PRAGMA cache_size=3; BEGIN; UPDATE notes SET body = body || 'x'")
        try scratch.copy("test.db", to: "copy.db")
        #expect(try database.audit().leftovers.isEmpty)
        let copy = try scratch.open("copy.db")
        #expect(try copy.audit().leftovers.map(\.kind) == [.hotJournal])
        #expect(scratch.exists("copy.db-journal"))
        var journal = try scratch.bytes("copy.db-journal")
        journal[2 * 4096 + 77] ^= 1
        try scratch.write(journal, "copy.db-journal")
        #expect(try copy.audit().leftovers.map(\.kind) == [.refusedJournal])
    }

    @Test("a stale journal is a leftover, and not a hot one")
    func staleJournal() throws {
        let database = try scratch.create(mode: "DELETE")
        var journal: [UInt8] = []
        do {
            let connection = try database.connect()
            try connection.fillNotes(200)
            try connection.execute("PRAGMA cache_size=3; BEGIN; UPDATE notes SET body = body || 'x'")
            journal = try scratch.bytes("test.db-journal")
            try connection.execute("COMMIT")
            for _ in 1...3 { try connection.execute("UPDATE notes SET body = body || 'y' WHERE id = 1") }
        }
        try scratch.write(journal, "test.db-journal")
        #expect(try database.audit().leftovers.map(\.kind) == [.refusedJournal])
    }

    @Test("a state file that is being written is no leftover")
    func stateFileInUse() throws {
        let path = scratch.path("state")
        let leftovers = Mutex<[String]?>(nil)
        try NewFile.$onPublication.withValue({ step in
            if step == .synced { leftovers.withLock { $0 = AbandonedFiles.list(beside: path) } }
        }) {
            try NewFile.$allowsDrafts.withValue(false) { try StateFile.replace(path, with: [1, 2, 3]) }
        }
        #expect(leftovers.withLock { $0 } == [])
        #expect(try StateFile.read(path, limit: 3) == [1, 2, 3])
        #expect(throws: SealedFileError(.notAFile, "")) { try StateFile.read(scratch.folder, limit: 3) }
    }

    @Test("reports survive JSON")
    func codable() throws {
        let database = try scratch.create()
        try database.addSlot(.passphrase(NewPassphrase(secret("x"), cost: Scrypt.Cost(logN: 1))), label: "ana")
        let (verification, audit, header) = (try database.verify(), try database.audit(), try database.publicHeader())
        let encoder = JSONEncoder()
        let decoder = JSONDecoder()
        #expect(try decoder.decode(VerificationReport.self, from: try encoder.encode(verification)) == verification)
        #expect(try decoder.decode(AuditReport.self, from: try encoder.encode(audit)) == audit)
        #expect(try decoder.decode(PublicHeader.self, from: try encoder.encode(header)) == header)
        #expect(try SealedDatabase.publicHeader(of: database.path) == header)
        #expect(try database.statistics().journalMode == "wal")
    }
}
