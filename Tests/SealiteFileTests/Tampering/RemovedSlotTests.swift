import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("recovery slots of the kind that was removed before the first release")
struct RemovedSlotTests {
    private let scene: RecoveryScene
    private var scratch: SealedScratch { scene.scratch }
    private var path: String { scratch.path("test.db") }

    init() throws { scene = try RecoveryScene() }

    /// Makes slot 2 of some header copies one of kind 3, with a checksum that fits and, if the owner did it, a MAC.
    private func removeProof(copies: [Int], master: MasterKey? = nil) throws {
        let bytes = try scratch.bytes("test.db")
        for copy in copies {
            let start = copy * HeaderLayout.copyByteCount
            let changed = try forgedCopy(bytes.slice(start, HeaderLayout.copyByteCount)) { copy in
                copy.write(SlotKind.removedRecovery, at: HeaderLayout.slots + HeaderLayout.slotByteCount + 16)
                guard let master else { return }
                let text = copy.slice(0, HeaderLayout.authenticationCode)
                copy.write((try? master.authenticationCode(for: text)) ?? [], at: HeaderLayout.authenticationCode)
            }
            try scratch.patch("test.db", at: start, changed)
        }
    }

    private func expectRefusal(_ what: String, _ body: () throws -> Void) {
        let error = #expect(throws: SealedFileError.self, "\(what)") { try body() }
        #expect(error?.code == .unsupportedVersion, "\(what): \(error?.description ?? "")")
        #expect(error?.reason.contains("key slot kind 3") == true, "\(what): \(error?.description ?? "")")
        #expect(error?.hint == FileRemedy.exportByOldBuild.hint, "\(what)")
    }

    @Test(
        "a file with such a slot in either header copy or both is refused for every secret, and nothing is changed",
        arguments: [[0], [1], [0, 1]], [false, true])
    func refused(copies: [Int], isSealed: Bool) throws {
        let database = try scene.create()
        try removeProof(copies: copies, master: isSealed ? try database.ring.masterKey() : nil)
        let before = try scratch.bytes("test.db")
        expectRefusal("raw key") { _ = try scratch.open() }
        expectRefusal("recovery key") { _ = try scene.recover() }
        expectRefusal("its number") { _ = try scene.recover(limits: UnlockLimits(slotNumber: 2)) }
        expectRefusal("slots") { _ = try database.slots() }
        expectRefusal("unlock again") { try database.unlockAgain(key: .rawKey(testKey())) }
        expectRefusal("add") { try database.addSlot(.rawKey(testKey(8))) }
        expectRefusal("rotate") { _ = try KeyRotation(of: database) }
        expectRefusal("backup") { _ = try database.backup(to: scratch.path("copy.db")) }
        expectRefusal("public header") { _ = try SealedDatabase.publicHeader(of: path) }
        expectRefusal("header backup") { _ = try SealedDatabase.backUpHeader(of: path, to: scratch.path("header")) }
        #expect(try scratch.bytes("test.db") == before)
        #expect(!scratch.exists("copy.db") && !scratch.exists("header"))
    }

    @Test("of two header copies the one without such a slot can be accepted, and the one with it can't")
    func acceptedCopy() throws {
        try scene.create()
        let genuine = try scene.header()
        try removeProof(copies: [0])
        let before = try scratch.bytes("test.db")
        expectRefusal("copy 0") {
            _ = try SealedDatabase.acceptHeaderCopy(of: path, key: .recoveryKey(scene.recovery), copy: 0)
        }
        #expect(try scratch.bytes("test.db") == before)
        let report = try SealedDatabase.acceptHeaderCopy(of: path, key: .recoveryKey(scene.recovery))
        #expect(report.slots == genuine.slotInfos)
        #expect(try scene.recover().connect().dump().count == 3)
    }

    @Test("where both header copies have such a slot none is accepted, and a saved header with one isn't restored")
    func noCopy() throws {
        try scene.create()
        let good = try scratch.bytes("test.db")
        try removeProof(copies: [0, 1])
        let bad = try scratch.bytes("test.db")
        expectRefusal("accept") { _ = try SealedDatabase.acceptHeaderCopy(of: path, key: .rawKey(testKey())) }
        #expect(try scratch.bytes("test.db") == bad)
        try scratch.write(Array(bad[..<HeaderLayout.regionByteCount]), "header")
        try scratch.write(good, "test.db")
        expectRefusal("restore") {
            _ = try SealedDatabase.restoreHeader(of: path, from: scratch.path("header"), key: .rawKey(testKey()))
        }
        #expect(try scratch.bytes("test.db") == good)
    }

    @Test("the kinds of key slots that a file can have are numbered 1, 2 and 4, and 3 is never used again")
    func numbers() {
        #expect(SlotKind.allCases.map(\.rawValue) == [1, 2, 4])
        #expect(!SlotKind.allCases.map(\.rawValue).contains(SlotKind.removedRecovery))
        #expect(SlotKind.allCases.map(\.name) == ["passphrase", "raw-key", "recovery"])
        #expect(SlotKind.allCases.map(\.secretName) == ["passphrase", "raw key", "recovery key"])
    }
}
