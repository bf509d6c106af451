import SealiteCrypto
import Testing

@testable import SealiteDatabase
@testable import SealiteFile

@Suite("Databases that a recovery slot of an earlier version opens")
struct OpeningWarningTests {
    @Test("they open where the caller accepts it, and say so; others have nothing to say")
    func unauthenticatedSlot() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/test.db"

        let recovery = try RecoveryKey(privateKey: testKey(9), edition: .first)
        let file = try SealedDatabase.create(
            path, slot: .rawKey(testKey(7)), options: CreationOptions(recoveryKey: recovery))
        #expect(try SealiteDatabase.Database(file: file).openingWarnings.isEmpty)
        let ring = file.ring
        try file.editHeader { (content) throws(SealedFileError) in
            guard var slot = content.slots[1] else { return }
            (slot.kind, slot.wrappedSecret) = (.unauthenticatedRecovery, [])
            let master = try ring.masterKey()
            slot = try SealedFileError.mappingCrypto { () throws(CryptoError) in
                try SlotOpening.sealUnauthenticated(master, to: &slot)
                return slot
            }
            content.slots[1] = slot
        }
        func open(_ limits: UnlockLimits) throws -> SealiteDatabase.Database {
            try SealiteDatabase.Database.open(path, key: .recoveryKey(recovery), limits: limits)
        }
        #expect(throws: SealedFileError(.unauthenticatedSlot, "")) { try open(UnlockLimits()) }
        let limits = UnlockLimits(acceptsUnauthenticatedSlots: true)
        #expect(try open(limits).openingWarnings == [.unauthenticatedRecoverySlot(number: 2)])
        let later = try await SealiteDatabase.Database.open(path, key: .recoveryKey(recovery), limits: limits)
        #expect(later.openingWarnings == [.unauthenticatedRecoverySlot(number: 2)])
    }
}
