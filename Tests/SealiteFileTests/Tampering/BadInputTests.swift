import CSQLite
import Foundation
import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("files that aren't what they should be")
struct BadInputTests {
    private let scratch: SealedScratch
    init() throws { scratch = try SealedScratch() }

    private func code(_ name: String = "test.db", seed: UInt8 = 7) -> SealedFileError.Code? {
        do {
            _ = try scratch.open(name, seed: seed).connect().dump()
            return nil
        } catch {
            return (error as? SealedFileError)?.code
        }
    }

    /// Both copies of a new database's header changed, the checksum made to fit.
    private func forge(_ change: (inout [UInt8]) -> Void) throws {
        var bytes = try scratch.bytes("test.db")
        let copy = try forgedCopy(Array(bytes[0..<4096]), change)
        bytes.replaceSubrange(0..<8192, with: copy + copy)
        try scratch.write(bytes, "test.db")
    }

    @Test("what isn't a sealed database at all", arguments: [0, 1, 4095, 4096, 8192, 20000])
    func notSealed(byteCount: Int) throws {
        try scratch.write([UInt8](repeating: 0x53, count: byteCount), "test.db")
        #expect(code() == .notSealed)
        #expect(!SealedDatabase.isSealed(scratch.path("test.db")))
    }

    @Test("a plain database, another product's encrypted one, a folder, nothing")
    func others() throws {
        let plain = try RawConnection(
            uri: "file:\(scratch.path("plain.db"))?vfs=unix", path: scratch.path("plain.db"),
            flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try plain.fillNotes(3)
        #expect(code("plain.db") == .plainDatabase)
        // SQLCipher's files begin with a random salt: nothing tells them from noise.
        try scratch.write(try SecureRandom.bytes(12288), "noise.db")
        #expect(code("noise.db") == .notSealed)
        try FileManager.default.createDirectory(atPath: scratch.path("folder"), withIntermediateDirectories: false)
        #expect(code("folder") == .notAFile)
        #expect(code("nothing.db") == .noSuchFile)
        #expect(code("plain.db/nothing.db") == .noSuchFile)
    }

    @Test("a path that leads nowhere isn't said to be free")
    func unusablePaths() throws {
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("loop.db"), withDestinationPath: scratch.path("loop.db"))
        #expect(code("loop.db") == .inputOutput)
        #expect(code(String(repeating: "n", count: 300)) == .inputOutput)
    }

    @Test("another key, a key of another kind, a slot that isn't there")
    func wrongKeys() throws {
        let database = try scratch.create()
        try database.connect().fillNotes(1)
        #expect(code(seed: 8) == .wrongKey)
        let wrongKind = #expect(throws: SealedFileError.self) {
            _ = try SealedDatabase.open(database.path, key: .passphrase(secret("x")))
        }
        #expect(wrongKind?.code == .wrongKey && wrongKind?.reason.contains("takes a passphrase") == true)
        let otherSlot = #expect(throws: SealedFileError.self) {
            _ = try SealedDatabase.open(database.path, key: .rawKey(testKey()), limits: UnlockLimits(slotNumber: 3))
        }
        #expect(otherSlot?.code == .wrongKey)
    }

    @Test("a page size that lies, a future version, a future cipher, a future kind of slot")
    func lies() throws {
        try scratch.create().connect().fillNotes(5)
        let whole = try scratch.bytes("test.db")
        let cases: [(SealedFileError.Code, Int, UInt32)] = [
            (.tamperedHeader, HeaderLayout.pageSize, 2048), (.tamperedHeader, HeaderLayout.freshness, 1),
            (.unsupportedVersion, HeaderLayout.version, 2), (.unsupportedVersion, HeaderLayout.cipher, 9),
            (.unsupportedVersion, HeaderLayout.slots + 16, 5),
        ]
        for (expected, offset, value) in cases {
            try scratch.write(whole, "test.db")
            try forge { $0.write(value, at: offset) }
            let forged = try scratch.bytes("test.db")
            #expect(code() == expected, "offset \(offset)")
            #expect(try scratch.bytes("test.db") == forged)
        }
    }

    @Test("costs from the file are refused before anything is allocated, and in no time")
    func hostileCosts() throws {
        let cost = Scrypt.Cost(logN: 1, r: 1, p: 1)
        _ = try SealedDatabase.create(
            scratch.path("test.db"), slot: .passphrase(NewPassphrase(secret("x"), cost: cost)))
        let whole = try scratch.bytes("test.db")
        let hostile: [(UInt32, UInt32, UInt32)] = [
            (24, 8, 1), (62, 1, 1), (20, 32, 1), (1, 33, 1), (1, 1, 17), (1, .max, 1), (1, 1, .max), (18, 8, 16),
        ]
        for (logN, r, p) in hostile {
            try scratch.write(whole, "test.db")
            try forge {
                $0.write(logN, at: HeaderLayout.slots + 24)
                $0.write(r, at: HeaderLayout.slots + 28)
                $0.write(p, at: HeaderLayout.slots + 32)
            }
            let taken = processorTime {
                let error = #expect(throws: SealedFileError.self, "2^\(logN), \(r), \(p)") {
                    _ = try SealedDatabase.open(scratch.path("test.db"), key: .passphrase(secret("x")))
                }
                #expect(error?.code == .costRefused)
            }
            #expect(taken < .seconds(5), "2^\(logN), \(r), \(p)")
        }
    }

    @Test("too high a cost for a new passphrase is refused without the advice to raise a limit, which is fixed")
    func newCost() throws {
        let error = #expect(throws: SealedFileError.self) {
            _ = try SealedDatabase.create(
                scratch.path("new.db"),
                slot: .passphrase(NewPassphrase(secret("x"), cost: Scrypt.Cost(logN: 24))))
        }
        #expect(error?.code == .costRefused && error?.hint == "choose a cost within the limits")
    }

    @Test(
        "a page size that can't be sealed is refused, however the file is filled", arguments: [-4096, 0, 1000, 1 << 17])
    func newPageSize(_ pageSize: Int) {
        let options = CreationOptions(pageSize: pageSize)
        let error = SealedFileError(.invalidArgument, "")
        #expect(throws: error) {
            _ = try SealedDatabase.create(scratch.path("new.db"), slot: .rawKey(testKey()), options: options)
        }
        #expect(throws: error) {
            _ = try SealedDatabase.create(
                scratch.path("new.db"), slot: .rawKey(testKey()), options: options, fill: { _ in })
        }
        #expect(throws: error) {
            try SealedDatabase.create(
                scratch.path("new.db"), slot: .rawKey(testKey()), options: options, draft: { _ in })
        }
    }

    @Test("verification of a file without pages says that page 1 is missing")
    func headerOnly() throws {
        let database = try scratch.create(mode: "DELETE")
        try scratch.write(Array(try scratch.bytes("test.db")[0..<8192]), "test.db")
        let report = try database.verify()
        #expect(!report.isSound)
        #expect(report.findings.contains { $0.part == .page && $0.first == 1 && $0.severity == .damage })
        #expect(code() == .damagedPage)
    }

    @Test("a file that another database overwrote while it was open is told apart")
    func replaced() throws {
        let database = try scratch.create(mode: "DELETE")
        try database.connect().fillNotes(3)
        _ = try scratch.create("other.db", mode: "DELETE")
        try scratch.write(try scratch.bytes("other.db"), "test.db")
        let error = #expect(throws: SealedFileError.self) { _ = try database.verify() }
        #expect(error?.code == .fileReplaced)
    }
}
