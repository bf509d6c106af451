import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import Testing

@testable import SealiteFile

@Suite("recovery slots")
struct RecoverySlotTests {
    private let scene: RecoveryScene
    private var scratch: SealedScratch { scene.scratch }
    private var recovery: RecoveryKey { scene.recovery }

    init() throws { scene = try RecoveryScene() }

    // MARK: Life

    @Test(
        "a recovery slot opens the file after rotations that had no private key, after a backup, a restore and VACUUM INTO"
    )
    func life() throws {
        var database = try scene.create()
        for epoch in 2...4 {
            database = try scratch.open()
            let rotation = try KeyRotation(of: database)
            try rotation.keepRecoverySlot(publicKey: recovery.publicKey)
            _ = try rotation.run()
            let opened = try scene.recover()
            #expect(try opened.connect().dump().count == 3)
            #expect(try scene.header().epoch.epoch == UInt32(epoch))
        }
        _ = try database.backup(to: scratch.path("copy.db"))
        #expect(try scene.recover("copy.db").connect().dump().count == 3)
        _ = try SealedDatabase.restore(
            backup: scratch.path("copy.db"), key: .rawKey(testKey()), to: scratch.path("restored.db"))
        #expect(try scene.recover("restored.db").connect().dump().count == 3)
        try database.connect().query(
            "VACUUM INTO ?1", bind: [.text(database.uri(forCopyAt: scratch.path("vacuumed.db")))])
        let vacuumed = try scene.recover("vacuumed.db")
        #expect(vacuumed.databaseID != database.databaseID)
        #expect(try vacuumed.connect().dump().count == 3)
        #expect(
            try Set(["test.db", "copy.db", "restored.db", "vacuumed.db"].map { try scene.header($0).slots[1]?.id })
                .count == 1
        )
    }

    @Test("another slot has another secret for the same key, and neither is in the other's header bytes")
    func secrets() throws {
        let database = try scene.create()
        try database.addSlot(.recovery(recovery), label: "second")
        let (first, second) = (try #require(try scene.header().slots[1]), try #require(try scene.header().slots[2]))
        #expect(first.wrappedSecret != second.wrappedSecret)
        let master = try database.ring.masterKey()
        // A wrapped secret doesn't open in another slot, nor under another database id.
        var moved = first
        moved.wrappedSecret = second.wrappedSecret
        for (slot, id) in [(moved, database.ring.databaseID), (first, [UInt8](repeating: 1, count: 16))] {
            #expect(throws: CryptoError(.authenticationFailed, "")) {
                try RecoverySecret(in: slot, under: master, databaseID: id)
            }
        }
    }

    // MARK: Forgery

    @Test("a recovery slot made from the public key alone is tampering, and so is each of two")
    func forgery() throws {
        _ = try scene.create()
        let known = try scene.header()
        for slotCount in [1, 2] {
            try scene.put(try scene.forged(slotCount: slotCount, of: known))
            for number in [nil, 1, 2] as [Int?] where number ?? 1 <= slotCount {
                let error = failure { _ = try scene.recover(limits: UnlockLimits(slotNumber: number)) }
                #expect(error?.code == .tamperedHeader, "slot \(number ?? 0) of \(slotCount)")
                #expect(error?.reason.contains("without the recovery key") == true)
            }
        }
    }

    @Test("every byte of one flipped is refused, with the checksum made to fit and with the MAC made to fit too")
    func flipped() throws {
        let database = try scene.create()
        let master = try database.ring.masterKey()
        let original = Array(try scratch.bytes("test.db")[0..<4096])
        let start = HeaderLayout.slots + HeaderLayout.slotByteCount
        var codes: Set<SealedFileError.Code> = []
        for offset in start..<start + HeaderLayout.slotByteCount {
            for isSealed in [false, true] {
                let changed = try forgedCopy(original) { bytes in
                    bytes[offset] ^= 1 << UInt8(offset % 8)
                    guard isSealed else { return }
                    let text = bytes.slice(0, HeaderLayout.authenticationCode)
                    bytes.write(
                        (try? master.authenticationCode(for: text)) ?? [], at: HeaderLayout.authenticationCode)
                }
                try scratch.patch("test.db", at: 0, changed + changed)
                guard let code = failure({ _ = try scene.recover() })?.code else {
                    Issue.record("byte \(offset - start) was accepted")
                    continue
                }
                codes.insert(code)
                // Bytes 72 to 103 are the public key: a slot of another key is nobody's tampering.
                #expect(code != .wrongKey || (72..<104).contains(offset - start) || offset - start == 16, "\(offset)")
            }
        }
        #expect(codes == [.tamperedHeader, .damagedHeader, .unsupportedVersion, .wrongKey])
    }

    @Test("an encapsulated key of small order is tampering, not a failure of the library")
    func smallOrder() throws {
        _ = try scene.create()
        let changed = try forgedCopy(Array(try scratch.bytes("test.db")[0..<4096])) { bytes in
            bytes.write([UInt8](repeating: 0, count: 32), at: HeaderLayout.slots + 256 + 208)
        }
        try scratch.patch("test.db", at: 0, changed + changed)
        #expect(failure { _ = try scene.recover() }?.code == .tamperedHeader)
    }

    private func failure(_ body: () throws -> Void) -> SealedFileError? {
        do { try body() } catch { return error as? SealedFileError }
        return nil
    }
}
