import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("recovery slots in a rotation")
struct RecoveryRotationTests {
    private let scratch: SealedScratch
    private let recovery: RecoveryKey

    init() throws {
        scratch = try SealedScratch()
        recovery = try RecoveryKey()
        let database = try SealedDatabase.create(
            scratch.path("test.db"), slot: .rawKey(testKey()),
            options: CreationOptions(pageSize: 1024, recoveryKey: recovery))
        try database.connect().fillNotes(3)
    }

    private func recover() throws -> SealedDatabase {
        try SealedDatabase.open(scratch.path("test.db"), key: .recoveryKey(recovery))
    }

    private var opens: Bool { (try? recover()) != nil }

    @Test("a removed slot that an old header brings back is carried over by nobody who doesn't name it")
    func putBack() throws {
        let old = Array(try scratch.bytes("test.db")[0..<8192])
        try scratch.open().removeSlot(2)
        #expect(!opens)
        try scratch.patch("test.db", at: 0, old)
        // The header is authentic: whoever reads it now can't tell.
        #expect(opens)
        let database = try scratch.open()
        let rotation = try KeyRotation(of: database)
        #expect(rotation.undecidedSlots == [2])
        let error = #expect(throws: SealedFileError.self) { try rotation.run() }
        #expect(error?.code == .invalidArgument && error?.hint?.contains("by its fingerprint") == true)
        #expect(try database.slots().count == 2)
        try rotation.dropSlot(2)
        _ = try rotation.run()
        #expect(!opens)
        #expect(try scratch.open().connect().dump().count == 3)
    }

    @Test(
        "a removed slot that an old header brings back while a handle is open that removed it isn't carried over either"
    )
    func putBackWhileOpen() throws {
        let database = try scratch.open()
        try database.addSlot(.recovery(try RecoveryKey()), label: "third")
        let old = Array(try scratch.bytes("test.db")[0..<8192])
        // Made by this handle, so carried over; removed by it, no longer.
        #expect(try KeyRotation(of: database).undecidedSlots == [2])
        try database.removeSlot(3)
        try scratch.patch("test.db", at: 0, old)
        #expect(throws: SealedFileError(.rolledBack, "")) { try KeyRotation(of: database) }
    }

    @Test("the handle that made a slot, or was unlocked by its key, carries it over unasked")
    func vouched() throws {
        let database = try scratch.open()
        let other = try RecoveryKey()
        try database.addSlot(.recovery(other))
        try database.removeSlot(2)
        let rotation = try KeyRotation(of: database)
        #expect(rotation.undecidedSlots.isEmpty)
        _ = try rotation.run()
        let opened = try SealedDatabase.open(
            scratch.path("test.db"), key: .recoveryKey(other))
        let again = try KeyRotation(of: opened)
        #expect(again.undecidedSlots == [1])
        try again.supply(.rawKey(testKey()))
        _ = try again.run()
        #expect(try opened.connect().dump().count == 3)
        #expect(try opened.slots().map(\.kind) == [.rawKey, .recovery])
    }

    @Test("a slot that the handle made, and that was removed elsewhere, isn't the handle's any more when it comes back")
    func removedElsewhere() throws {
        let database = try scratch.open()
        try database.addSlot(.recovery(try RecoveryKey()))
        #expect(try KeyRotation(of: database).undecidedSlots == [2])
        let made = try BaseHandle.readHeader(scratch.path("test.db"), vfs: "unix").content.slots[2]
        let other = try scratch.open()
        try other.removeSlot(3)
        #expect(try KeyRotation(of: database).undecidedSlots == [2])
        try other.editHeader { $0.slots[2] = made }
        #expect(try KeyRotation(of: database).undecidedSlots == [2, 3])
    }

    @Test("a slot is kept by its fingerprint, and a fingerprint that no slot has is refused")
    func fingerprints() throws {
        let rotation = try KeyRotation(of: try scratch.open())
        for wrong in ["", "00", String(repeating: "0", count: 32), try RecoveryKey().fingerprint] {
            #expect(throws: SealedFileError(.invalidArgument, "")) { try rotation.keepRecoverySlot(fingerprint: wrong) }
        }
        try rotation.keepRecoverySlot(fingerprint: recovery.fingerprint.uppercased())
        _ = try rotation.run()
        #expect(opens)
    }

    @Test("a slot whose key was exchanged after it was named is not carried over")
    func exchanged() throws {
        let database = try scratch.open()
        let rotation = try KeyRotation(of: database)
        try rotation.keepRecoverySlot(publicKey: recovery.publicKey)
        try scratch.open().changeSlot(2, to: .recovery(try RecoveryKey()))
        #expect(throws: SealedFileError(.refused, "")) { try rotation.run() }
        #expect(try BaseHandle.readHeader(scratch.path("test.db"), vfs: "unix").content.rotation == nil)
    }
}
