import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

/// A database with a raw-key slot and a recovery slot, and somebody who knows its header and has no secret.
struct RecoveryScene {
    let scratch: SealedScratch
    let recovery: RecoveryKey

    init() throws {
        scratch = try SealedScratch()
        recovery = try RecoveryKey()
    }

    @discardableResult
    func create() throws -> SealedDatabase {
        let database = try SealedDatabase.create(
            scratch.path("test.db"), slot: .rawKey(testKey()),
            options: CreationOptions(pageSize: 1024, recoveryKey: recovery))
        try database.connect().fillNotes(3)
        return database
    }

    func recover(
        _ name: String = "test.db", limits: UnlockLimits = UnlockLimits()
    ) throws(SealedFileError) -> SealedDatabase {
        try SealedDatabase.open(scratch.path(name), key: .recoveryKey(recovery), limits: limits)
    }

    func header(_ name: String = "test.db") throws -> HeaderContent {
        try BaseHandle.readHeader(scratch.path(name), vfs: "unix").content
    }

    func put(_ image: HeaderImage, into name: String = "test.db") throws {
        try scratch.patch(name, at: 0, image.bytes + image.bytes)
    }

    // MARK: Forgery

    /// A header, sealed under a master key of the forger's own, with recovery slots for the victim's public key whose
    /// secrets are guessed.
    func forged(slotCount: Int = 1, of header: HeaderContent) throws -> HeaderImage {
        var content = header
        let master = MasterKey(id: try SecureRandom.bytes(16), key: try SecretBytes.random(byteCount: 32))
        content.masterID = master.id
        content.generation += 1000
        content.freshness += 1000
        content.applicationKey = nil
        let victim = try #require(content.slots[1])
        content.slots = [KeySlot?](repeating: nil, count: HeaderLayout.slotCount)
        for index in 0..<slotCount {
            var slot = victim
            if index > 0 { (slot.id, slot.label) = ([UInt8](repeating: UInt8(index), count: 16), "\(index)") }
            let guessed = try RecoverySecret(of: slot, privateKey: try SecretBytes.random(byteCount: 32))
            try SlotOpening.seal(master, to: &slot, with: guessed, databaseID: content.databaseID)
            content.slots[index] = slot
        }
        content.epoch = try master.wrap(
            try PageKey.random(), epoch: content.epoch.epoch, databaseID: content.databaseID)
        return try HeaderImage(content, master: master)
    }
}
