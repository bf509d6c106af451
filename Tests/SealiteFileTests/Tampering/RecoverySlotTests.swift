import SealiteCrypto
import Testing

@testable import SealiteFile

@Suite("recovery slots")
struct RecoverySlotTests {
    private let scratch: SealedScratch
    private let recovery: RecoveryKey

    init() throws {
        scratch = try SealedScratch()
        recovery = try RecoveryKey()
    }

    private var privateKey: UnlockKey { .recoveryKey(recovery.privateKey.duplicate()) }

    /// A database with a raw-key slot and a recovery slot.
    private func create(oldKind: Bool = false) throws -> SealedDatabase {
        let database = try SealedDatabase.create(
            scratch.path("test.db"), slot: .rawKey(testKey()),
            options: CreationOptions(pageSize: 1024, recoveryKey: recovery))
        try database.connect().fillNotes(3)
        if oldKind { try database.makeRecoverySlotsUnauthenticated() }
        return database
    }

    private func recover(
        _ name: String = "test.db", limits: UnlockLimits = UnlockLimits()
    ) throws(SealedFileError) -> SealedDatabase {
        try SealedDatabase.open(scratch.path(name), key: privateKey, limits: limits)
    }

    private func header(_ name: String = "test.db") throws -> HeaderContent {
        try BaseHandle.readHeader(scratch.path(name), vfs: "unix").content
    }

    private func put(_ image: HeaderImage, into name: String = "test.db") throws {
        try scratch.patch(name, at: 0, image.bytes + image.bytes)
    }

    // MARK: Life

    @Test("it opens the file after rotations that had no private key, after a backup, a restore and VACUUM INTO")
    func life() throws {
        var database = try create()
        for epoch in 2...4 {
            database = try scratch.open()
            let rotation = try KeyRotation(of: database)
            try rotation.keepRecoverySlot(publicKey: recovery.publicKey)
            _ = try rotation.run()
            let opened = try recover()
            #expect(opened.openingWarnings.isEmpty)
            #expect(try opened.connect().dump().count == 3)
            #expect(try header().epoch.epoch == UInt32(epoch))
        }
        _ = try database.backup(to: scratch.path("copy.db"))
        #expect(try recover("copy.db").connect().dump().count == 3)
        _ = try SealedDatabase.restore(
            backup: scratch.path("copy.db"), key: .rawKey(testKey()), to: scratch.path("restored.db"))
        #expect(try recover("restored.db").connect().dump().count == 3)
        try database.connect().query(
            "VACUUM INTO ?1", bind: [.text(database.uri(forCopyAt: scratch.path("vacuumed.db")))])
        let vacuumed = try recover("vacuumed.db")
        #expect(vacuumed.databaseID != database.databaseID)
        #expect(try vacuumed.connect().dump().count == 3)
        #expect(
            try Set(["test.db", "copy.db", "restored.db", "vacuumed.db"].map { try header($0).slots[1]?.id }).count == 1
        )
    }

    @Test("another slot has another secret for the same key, and neither is in the other's header bytes")
    func secrets() throws {
        let database = try create()
        try database.addSlot(.recovery(recovery), label: "second")
        let (first, second) = (try #require(try header().slots[1]), try #require(try header().slots[2]))
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

    /// A header that someone makes who knows the victim's header and public key, and no secret.
    private func forged(_ kinds: [SlotKind], of header: HeaderContent) throws -> HeaderImage {
        var content = header
        let master = try SlotOpening.mapped { () throws(CryptoError) in try MasterKey.random() }
        content.masterID = master.id
        content.generation += 1000
        content.freshness += 1000
        content.applicationKey = nil
        let victim = try #require(content.slots[1])
        content.slots = [KeySlot?](repeating: nil, count: HeaderLayout.slotCount)
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
        return try HeaderImage(content, master: master)
    }

    @Test("one made from the public key alone is tampering, also beside one of the old kind, in any place")
    func forgery() throws {
        _ = try create()
        let known = try header()
        for kinds in [
            [SlotKind.recovery], [.unauthenticatedRecovery, .recovery], [.recovery, .unauthenticatedRecovery],
        ] {
            let image = try forged(kinds, of: known)
            try put(image)
            for number in [nil, 1, 2] as [Int?] where number ?? 1 <= kinds.count {
                let error = failure { _ = try recover(limits: UnlockLimits(slotNumber: number)) }
                #expect(error?.code == .tamperedHeader, "\(kinds), slot \(number ?? 0)")
            }
            try put(try forged([.recovery], of: known))
            #expect(failure { _ = try recover() }?.reason.contains("without the recovery key") == true)
        }
    }

    @Test("one of the old kind is opened with a warning, unless the caller forbids it")
    func oldKind() throws {
        _ = try create(oldKind: true)
        let opened = try recover()
        #expect(opened.openingWarnings == [.unauthenticatedRecoverySlot(number: 2)])
        #expect(try scratch.open().openingWarnings.isEmpty)
        #expect(
            failure { _ = try recover(limits: UnlockLimits(acceptsUnauthenticatedSlots: false)) }?.code
                == .unauthenticatedSlot)
        // What such a slot risks: a forged one is told from an honest one by nothing in the file.
        try put(try forged([.unauthenticatedRecovery], of: try header()))
        #expect(try recover().openingWarnings == [.unauthenticatedRecoverySlot(number: 1)])
    }

    @Test("an old slot isn't used where the same key has a new one, whichever is asked for")
    func downgrade() throws {
        let database = try create(oldKind: true)
        let ring = database.ring
        // A header that no writer makes: both kinds of one key, under a MAC that fits.
        try database.editHeader { (content) throws(SealedFileError) in
            var slot = content.slots[1]
            slot?.id = [UInt8](repeating: 3, count: 16)
            slot?.label = "new"
            let secret = try SlotOpening.mapped { () throws(CryptoError) in
                try slot.map { (slot) throws(CryptoError) in
                    try RecoverySecret(of: slot, privateKey: recovery.privateKey)
                }
            }
            guard var slot, let secret else { return }
            let master = try ring.masterKey()
            try SlotOpening.mapped { () throws(CryptoError) in
                try SlotOpening.seal(master, to: &slot, with: secret, databaseID: ring.databaseID)
            }
            content.slots[4] = slot
        }
        let opened = try recover()
        #expect(opened.openingWarnings.isEmpty && opened.ring.recovery?.slotNumber == 5)
        #expect(failure { _ = try recover(limits: UnlockLimits(slotNumber: 2)) }?.code == .tamperedHeader)
    }

    @Test("every byte of one flipped is refused, with the checksum made to fit and with the MAC made to fit too")
    func flipped() throws {
        let database = try create()
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
                guard let code = failure({ _ = try recover() })?.code else {
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
        _ = try create()
        let changed = try forgedCopy(Array(try scratch.bytes("test.db")[0..<4096])) { bytes in
            bytes.write([UInt8](repeating: 0, count: 32), at: HeaderLayout.slots + 256 + 208)
        }
        try scratch.patch("test.db", at: 0, changed + changed)
        #expect(failure { _ = try recover() }?.code == .tamperedHeader)
    }

    // MARK: Replacement

    enum Change: CaseIterable {
        case add, remove, change, addSameKey, rotate, supply
    }

    @Test(
        "every key operation that has the private key replaces an old slot, with its id and label",
        arguments: Change.allCases)
    func replaced(change: Change) throws {
        do {
            let database = try create(oldKind: true)
            try database.addSlot(.rawKey(testKey(9)), label: "other")
        }
        let old = try #require(try header().slots[1])
        switch change {
        case .add: try recover().addSlot(.rawKey(testKey(8)))
        case .remove: try recover().removeSlot(3)
        case .change: try recover().changeSlot(3, to: .rawKey(testKey(8)))
        case .addSameKey: try scratch.open().addSlot(.recovery(recovery))
        case .rotate:
            let rotation = try KeyRotation(of: try recover())
            #expect(rotation.undecidedSlots == [1, 3])
            try rotation.supply(.rawKey(testKey()))
            try rotation.dropSlot(3)
            _ = try rotation.run()
        case .supply:
            let rotation = try KeyRotation(of: try scratch.open())
            try rotation.supply(privateKey)
            try rotation.dropSlot(3)
            _ = try rotation.run()
        }
        let new = try #require(try header().slots[1])
        #expect(new.kind == .recovery && new.id == old.id && new.label == old.label && new.salt == old.salt)
        #expect(try recover(limits: UnlockLimits(acceptsUnauthenticatedSlots: false)).connect().dump().count == 3)
    }

    @Test("without the private key an old slot stays as it is, through changes, a backup and a rotation that keeps it")
    func kept() throws {
        _ = try create(oldKind: true)
        let database = try scratch.open()
        try database.addSlot(.recovery(try RecoveryKey()))
        #expect(try header().slots.compactMap(\.?.kind) == [.rawKey, .unauthenticatedRecovery, .recovery])
        _ = try database.backup(to: scratch.path("copy.db"))
        #expect(try recover("copy.db").openingWarnings.count == 1)
        let rotation = try KeyRotation(of: database)
        #expect(rotation.undecidedSlots == [2])
        try rotation.keepRecoverySlot(fingerprint: recovery.fingerprint)
        _ = try rotation.run()
        #expect(try header().slots[1]?.kind == .unauthenticatedRecovery)
        #expect(try recover().openingWarnings == [.unauthenticatedRecoverySlot(number: 2)])
    }

    @Test("info, verify and audit name an old slot, and a new one not")
    func named() throws {
        let database = try create(oldKind: true)
        let findings = try database.verify().findings
        #expect(findings.map(\.code) == [.unauthenticatedSlot])
        #expect(findings[0].part == .keySlot && findings[0].first == 2 && findings[0].severity == .note)
        #expect(try !database.audit().isSound)
        #expect(try database.slots()[1].isAuthenticated == false)
        #expect(try database.slots()[1].fingerprint == recovery.fingerprint)
        try recover().addSlot(.rawKey(testKey(9)))
        #expect(try database.verify().findings.isEmpty)
        #expect(try database.audit().header.slots.allSatisfy(\.isAuthenticated))
    }

    private func failure(_ body: () throws -> Void) -> SealedFileError? {
        do { try body() } catch { return error as? SealedFileError }
        return nil
    }
}
