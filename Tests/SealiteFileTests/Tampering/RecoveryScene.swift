import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

/// A database with a raw-key slot and a recovery slot, and somebody who knows its header and has no secret.
struct RecoveryScene {
    let scratch: SealedScratch
    let recovery: RecoveryKey
    static let accepting = UnlockLimits(acceptsUnauthenticatedSlots: true)

    init(_ edition: RecoveryKey.Edition) throws {
        scratch = try SealedScratch()
        recovery = try RecoveryKey(privateKey: SecretBytes.random(byteCount: 32), edition: edition)
    }

    @discardableResult
    func create(oldKind: Bool = false) throws -> SealedDatabase {
        let database = try SealedDatabase.create(
            scratch.path("test.db"), slot: .rawKey(testKey()),
            options: CreationOptions(pageSize: 1024, recoveryKey: recovery))
        try database.connect().fillNotes(3)
        if oldKind { try database.makeRecoverySlotsUnauthenticated() }
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

    /// A header with recovery slots of these kinds for the victim's public key, and the master key it is sealed under.
    func forgery(
        _ kinds: [SlotKind], of header: HeaderContent, masterID: [UInt8]? = nil, beside genuine: KeySlot? = nil
    ) throws -> (image: HeaderImage, master: MasterKey) {
        var content = header
        let master = MasterKey(
            id: try masterID ?? SecureRandom.bytes(16), key: try SecretBytes.random(byteCount: 32))
        content.masterID = master.id
        content.generation += 1000
        content.freshness += 1000
        content.applicationKey = nil
        let victim = try #require(content.slots[1])
        content.slots = [KeySlot?](repeating: nil, count: HeaderLayout.slotCount)
        content.slots[11] = genuine
        for (index, kind) in kinds.enumerated() {
            var slot = victim
            if index > 0 { (slot.id, slot.label) = ([UInt8](repeating: UInt8(index), count: 16), "\(index)") }
            if kind == .recovery {
                let guessed = try RecoverySecret(of: slot, privateKey: try SecretBytes.random(byteCount: 32))
                try SlotOpening.seal(master, to: &slot, with: guessed, databaseID: content.databaseID)
            } else {
                (slot.kind, slot.wrappedSecret) = (.unauthenticatedRecovery, [])
                try SlotOpening.sealUnauthenticated(master, to: &slot)
            }
            content.slots[index] = slot
        }
        content.epoch = try master.wrap(
            try PageKey.random(), epoch: content.epoch.epoch, databaseID: content.databaseID)
        return (try HeaderImage(content, master: master), master)
    }

    func forged(_ kinds: [SlotKind], of header: HeaderContent) throws -> HeaderImage {
        try forgery(kinds, of: header).image
    }

    /// Puts a whole forged file in the place of the database: a header, and an empty database sealed under its keys.
    func putForgedFile(
        _ kinds: [SlotKind], masterID: [UInt8]? = nil, beside genuine: KeySlot? = nil
    ) throws {
        let (image, master) = try forgery(kinds, of: try header(), masterID: masterID, beside: genuine)
        let ring = try KeyRing(
            opened: SlotOpening.Opened(master: master, kek: nil, slotID: []),
            region: try HeaderRegion(parsing: image.bytes + image.bytes), path: "forged")
        let pages = PageCodec(ring: ring, use: .main)
        let pageOne = PageOneImage.emptyDatabase(pageSize: ring.pageSize, autoVacuum: .none)
        let text = UnsafeMutableRawBufferPointer.allocate(byteCount: ring.pageSize, alignment: 64)
        defer { unsafe text.deallocate() }
        unsafe text.copyBytes(from: pageOne)
        if let start = text.baseAddress { unsafe try pages.seal(start, number: 1, pageOneSerial: 1) }
        let sealed = unsafe Array(UnsafeRawBufferPointer(start: pages.scratch, count: ring.pageSize))
        try scratch.write(image.bytes + image.bytes + sealed, "test.db")
    }
}
