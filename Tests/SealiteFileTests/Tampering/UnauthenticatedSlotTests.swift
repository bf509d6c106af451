import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("recovery slots of an earlier version")
struct UnauthenticatedSlotTests {
    private let scene: RecoveryScene
    private var scratch: SealedScratch { scene.scratch }
    private var recovery: RecoveryKey { scene.recovery }

    init() throws { scene = try RecoveryScene(.first) }

    private func accepted(_ name: String = "test.db") throws(SealedFileError) -> SealedDatabase {
        try scene.recover(name, limits: RecoveryScene.accepting)
    }

    private func trusted() throws(SealedFileError) -> SealedDatabase {
        try scene.recover(limits: UnlockLimits(acceptsUnauthenticatedSlots: true, trustsFile: true))
    }

    // MARK: Opening

    @Test("one opens the file with a warning where the caller accepts it, and nothing where not")
    func opening() throws {
        try scene.create(oldKind: true)
        #expect(failureCode { _ = try scene.recover() } == .unauthenticatedSlot)
        #expect(failureCode { _ = try scene.recover(limits: UnlockLimits(trustsFile: true)) } == .unauthenticatedSlot)
        #expect(try accepted().openingWarnings == [.unauthenticatedRecoverySlot(number: 2)])
        #expect(try scratch.open().openingWarnings.isEmpty)
        // What such a slot risks: a forged one is told from an honest one by nothing in the file.
        try scene.putForgedFile([.unauthenticatedRecovery])
        #expect(try accepted().openingWarnings == [.unauthenticatedRecoverySlot(number: 1)])
    }

    @Test("a recovery key made since then takes one for a forgery, wherever it is given")
    func keyOfSecondEdition() throws {
        let scene = try RecoveryScene(.second)
        try scene.create()
        for slotNumber in [nil, 1] {
            let limits = UnlockLimits(slotNumber: slotNumber, acceptsUnauthenticatedSlots: true, trustsFile: true)
            let genuine = try scene.header()
            try scene.put(try scene.forged([.unauthenticatedRecovery], of: genuine))
            #expect(failureCode { _ = try scene.recover(limits: limits) } == .tamperedHeader)
            try scene.put(try HeaderImage(genuine, master: try MasterKey.random()))
        }
        let other = try RecoveryScene(.second)
        let database = try other.create(oldKind: true)
        #expect(failureCode { try database.addSlot(.recovery(other.recovery)) } == .tamperedHeader)
        #expect(
            failureCode { try KeyRotation(of: database).supply(.recoveryKey(other.recovery)) } == .tamperedHeader)
        #expect(try other.header().slots[1]?.kind == .unauthenticatedRecovery)
    }

    @Test("a handle whose keys were rotated isn't mended by one")
    func unlockAgain() throws {
        let database = try scene.create(oldKind: true)
        #expect(
            failureCode { try database.unlockAgain(key: .recoveryKey(recovery), limits: RecoveryScene.accepting) }
                == .unauthenticatedSlot)
        try database.unlockAgain(key: .rawKey(testKey()))
    }

    // MARK: Proof

    enum KeyChange: CaseIterable {
        case add, addRecovery, remove, change, rotate, rotateToRecovery

        func perform(on database: SealedDatabase, _ recovery: RecoveryKey) throws {
            switch self {
            case .add: try database.addSlot(.rawKey(testKey(8)))
            case .addRecovery: try database.addSlot(.recovery(recovery))
            case .remove: try database.removeSlot(1)
            case .change: try database.changeSlot(1, to: .recovery(try RecoveryKey()))
            case .rotate: _ = try KeyRotation(of: database).run()
            case .rotateToRecovery:
                let rotation = try KeyRotation(of: database)
                try rotation.replaceSlot(1, with: .recovery(recovery))
                _ = try rotation.run()
            }
        }
    }

    @Test(
        "where only one opened the file no key is changed, so that a forger learns no secret",
        arguments: KeyChange.allCases)
    func unproven(change: KeyChange) throws {
        try scene.create(oldKind: true)
        try scene.putForgedFile([.unauthenticatedRecovery, .unauthenticatedRecovery])
        let forged = try scratch.bytes("test.db")
        let database = try accepted()
        #expect(try database.connect().integer("SELECT count(*) FROM sqlite_schema") == 0)
        #expect(failureCode { try change.perform(on: database, recovery) } == .unauthenticatedSlot)
        #expect(try scratch.bytes("test.db") == forged)
        #expect(database.replaceableSlots.isEmpty)
        database.lock()
        #expect(failureCode { try change.perform(on: database, recovery) } == .locked)
    }

    @Test("the handle that passed a freshness record changes keys; a forged file doesn't pass it")
    func provenByRecord() throws {
        let record = scratch.path("record")
        try scene.create(oldKind: true).recordFreshness(at: record)
        let genuine = try scratch.bytes("test.db")
        try scene.putForgedFile([.unauthenticatedRecovery])
        let forged = try accepted()
        guard case .rolledBack = try forged.freshness(against: record) else {
            Issue.record("a forged file passed the record")
            return
        }
        #expect(failureCode { try forged.addSlot(.rawKey(testKey(8))) } == .unauthenticatedSlot)
        try scratch.write(genuine, "test.db")
        let database = try SealedDatabase.open(
            scratch.path("test.db"), key: .recoveryKey(recovery), limits: RecoveryScene.accepting,
            freshness: FreshnessPolicy(recordPath: record))
        #expect(database.replaceableSlots.map(\.number) == [2])
        try database.addSlot(.rawKey(testKey(8)))
        #expect(try scene.header().slots[1]?.kind == .recovery)
        #expect(try scene.recover().connect().dump().count == 3)
    }

    private func openRecording(at name: String) throws(SealedFileError) -> SealedDatabase {
        try SealedDatabase.open(
            scratch.path("test.db"), key: .recoveryKey(recovery), limits: RecoveryScene.accepting,
            freshness: FreshnessPolicy(recordPath: scratch.path(name), makesFirstRecord: true))
    }

    @Test("a record without a MAC proves nothing, and no record is made of a file that isn't proven")
    func notProvenByRecord() throws {
        let record = scratch.path("record")
        let made = try scene.create(oldKind: true).recordFreshness(at: record)
        let text = String(decoding: made.encoded(), as: UTF8.self)
            .replacing("freshness 2", with: "freshness 1").split(separator: "\n")
            .filter { !$0.contains("\"generation\"") && !$0.contains("\"mac\"") }.joined(separator: "\n")
        try scratch.write(Array(text.replacing("\(made.digest.hex)\",", with: "\(made.digest.hex)\"").utf8), "old")
        let first = try accepted()
        guard case .fresh(let recorded, _) = try first.freshness(against: scratch.path("old")) else {
            Issue.record("the record of version 1 isn't passed")
            return
        }
        #expect(recorded.formatVersion == 1)
        #expect(failureCode { try first.addSlot(.rawKey(testKey(8))) } == .unauthenticatedSlot)
        // A record that is made, or renewed, of such a file would vouch for it.
        for name in ["new", "old"] {
            #expect(failureCode { try first.recordFreshness(at: scratch.path(name)) } == .unauthenticatedSlot)
        }
        #expect(!scratch.exists("new") && failureCode { _ = try openRecording(at: "new") } == .unauthenticatedSlot)
        try trusted().recordFreshness(at: scratch.path("new"))
        let second = try openRecording(at: "new")
        try second.addSlot(.rawKey(testKey(8)))
    }

    @Test("another secret given to a rotation proves the file, unless it leads to another master key")
    func provenBySecret() throws {
        try scene.create(oldKind: true)
        let rotation = try KeyRotation(of: try accepted())
        #expect(failureCode { _ = try rotation.run() } == .unauthenticatedSlot)
        try rotation.supply(.rawKey(testKey()))
        #expect(rotation.replaceableSlots.map(\.number) == [2])
        _ = try rotation.run()
        #expect(try scene.recover().connect().dump().count == 3)
        // The victim's own slot, copied into a forged header that has the victim's master id.
        let other = try RecoveryScene(.first)
        try other.create(oldKind: true)
        let slot = try #require(try other.header().slots[0])
        try other.putForgedFile([.unauthenticatedRecovery], masterID: try other.header().masterID, beside: slot)
        let forged = try KeyRotation(of: try other.recover(limits: RecoveryScene.accepting))
        #expect(failureCode { try forged.supply(.rawKey(testKey())) } == .tamperedHeader)
        #expect(failureCode { _ = try forged.run() } == .unauthenticatedSlot)
    }

    // MARK: Replacement

    enum Change: CaseIterable {
        case add, remove, change, addSameKey, rotate, supply
    }

    @Test(
        "every key operation that has the private key replaces it, with its id and label, where the file is proven",
        arguments: Change.allCases)
    func replaced(change: Change) throws {
        try scene.create(oldKind: true).addSlot(.rawKey(testKey(9)), label: "other")
        let old = try #require(try scene.header().slots[1])
        switch change {
        case .add: try trusted().addSlot(.rawKey(testKey(8)))
        case .remove: try trusted().removeSlot(3)
        case .change: try trusted().changeSlot(3, to: .rawKey(testKey(8)))
        case .addSameKey: try scratch.open().addSlot(.recovery(recovery))
        case .rotate:
            let rotation = try KeyRotation(of: try trusted())
            #expect(rotation.undecidedSlots == [1, 3])
            try rotation.supply(.rawKey(testKey()))
            try rotation.dropSlot(3)
            _ = try rotation.run()
        case .supply:
            let rotation = try KeyRotation(of: try scratch.open())
            try rotation.supply(.recoveryKey(recovery))
            try rotation.dropSlot(3)
            #expect(try rotation.run().warnings.isEmpty)
        }
        let new = try #require(try scene.header().slots[1])
        #expect(new.kind == .recovery && new.id == old.id && new.label == old.label && new.salt == old.salt)
        #expect(try scene.recover().connect().dump().count == 3)
    }

    @Test("without the private key it stays through changes and a backup, and through a rotation that is told so")
    func kept() throws {
        try scene.create(oldKind: true)
        let database = try scratch.open()
        try database.addSlot(.recovery(try RecoveryKey()))
        #expect(try scene.header().slots.compactMap(\.?.kind) == [.rawKey, .unauthenticatedRecovery, .recovery])
        let backup = try database.backup(to: scratch.path("copy.db"))
        #expect(backup.warnings == [.unauthenticatedSlotKept(number: 2)])
        #expect(try accepted("copy.db").openingWarnings.count == 1)
        let restored = try SealedDatabase.restore(
            backup: scratch.path("copy.db"), key: .recoveryKey(recovery), limits: RecoveryScene.accepting,
            to: scratch.path("restored.db"))
        #expect(restored.warnings == [.unauthenticatedRecoverySlot(number: 2)])
        #expect(restored.backup.warnings == [.unauthenticatedSlotKept(number: 2)])
        let rotation = try KeyRotation(of: database)
        #expect(rotation.undecidedSlots == [2])
        #expect(
            failureCode { try rotation.keepRecoverySlot(fingerprint: recovery.fingerprint) } == .unauthenticatedSlot)
        #expect(rotation.undecidedSlots == [2])
        try rotation.keepRecoverySlot(fingerprint: recovery.fingerprint, allowingUnauthenticated: true)
        #expect(try rotation.run().warnings == [.unauthenticatedSlotKept(number: 2)])
        #expect(try scene.header().slots[1]?.kind == .unauthenticatedRecovery)
        #expect(try accepted().openingWarnings == [.unauthenticatedRecoverySlot(number: 2)])
    }

    @Test("the decision to keep a slot is for its kind: one that has another kind when the rotation begins isn't kept")
    func decisionOfKind() throws {
        let database = try scene.create()
        let rotation = try KeyRotation(of: try scratch.open())
        try rotation.keepRecoverySlot(publicKey: recovery.publicKey)
        try database.makeRecoverySlotsUnauthenticated()
        #expect(failureCode { _ = try rotation.run() } == .refused)
        #expect(try scene.header().rotation == nil)
        // A handle that made a slot of the new kind doesn't answer for one of the old kind in its place.
        #expect(try KeyRotation(of: database).undecidedSlots == [2])
    }

    @Test("info, verify and audit name one, and a new one not")
    func named() throws {
        let database = try scene.create(oldKind: true)
        let findings = try database.verify().findings
        #expect(findings.map(\.code) == [.unauthenticatedSlot])
        #expect(findings[0].part == .keySlot && findings[0].first == 2 && findings[0].severity == .note)
        #expect(try !database.audit().isSound)
        #expect(try database.slots()[1].isAuthenticated == false)
        #expect(try database.slots()[1].fingerprint == recovery.fingerprint)
        try trusted().addSlot(.rawKey(testKey(9)))
        #expect(try database.verify().findings.isEmpty)
        #expect(try database.audit().header.slots.allSatisfy(\.isAuthenticated))
    }

    // MARK: Header copies

    @Test("of two header copies the one that an authenticated slot opens counts, and a forged one is never taken")
    func acceptedCopy() throws {
        try scene.create()
        let genuine = try scene.header()
        try scratch.patch("test.db", at: 0, try scene.forged([.unauthenticatedRecovery], of: genuine).bytes)
        let before = try scratch.bytes("test.db")
        func accept(_ copy: Int?) throws -> HeaderReport {
            try SealedDatabase.acceptHeaderCopy(
                of: scratch.path("test.db"), key: .recoveryKey(recovery), limits: RecoveryScene.accepting, copy: copy)
        }
        #expect(failureCode { _ = try accept(0) } == .tamperedHeader)
        #expect(try scratch.bytes("test.db") == before)
        let report = try accept(nil)
        #expect(report.warnings.isEmpty && report.slots == genuine.slotInfos)
        #expect(try scene.recover().connect().dump().count == 3)
    }

    @Test("where no copy has an authenticated slot the copy is named, must open pages, and is reported with a warning")
    func acceptedOldCopy() throws {
        try scene.create(oldKind: true)
        let genuine = try scene.header()
        try scratch.patch("test.db", at: 0, try scene.forged([.unauthenticatedRecovery], of: genuine).bytes)
        let before = try scratch.bytes("test.db")
        func accept(_ copy: Int?, _ limits: UnlockLimits = RecoveryScene.accepting) throws -> HeaderReport {
            try SealedDatabase.acceptHeaderCopy(
                of: scratch.path("test.db"), key: .recoveryKey(recovery), limits: limits, copy: copy)
        }
        #expect(failureCode { _ = try accept(1, UnlockLimits()) } == .unauthenticatedSlot)
        let ambiguous = #expect(throws: SealedFileError.self) { _ = try accept(nil) }
        #expect(ambiguous?.hint == "name the copy to keep, 0 or 1")
        let forged = #expect(throws: SealedFileError.self) { _ = try accept(0) }
        #expect(forged?.code == .refused && forged?.reason.contains("opens none of the") == true)
        #expect(try scratch.bytes("test.db") == before)
        #expect(try accept(1).warnings == [.unauthenticatedRecoverySlot(number: 2)])
        #expect(try accepted().connect().dump().count == 3)
    }

    @Test("a saved header of the old kind isn't put back by its recovery key over a slot that proves more")
    func savedHeader() throws {
        let path = scratch.path("test.db")
        try scene.create(oldKind: true)
        try SealedDatabase.backUpHeader(of: path, to: scratch.path("header"))
        func restore(_ key: consuming UnlockKey, limits: UnlockLimits = RecoveryScene.accepting) throws -> HeaderReport
        {
            try SealedDatabase.restoreHeader(of: path, from: scratch.path("header"), key: key, limits: limits)
        }
        #expect(failureCode { _ = try restore(.recoveryKey(recovery), limits: UnlockLimits()) } == .unauthenticatedSlot)
        #expect(try restore(.recoveryKey(recovery)).warnings == [.unauthenticatedRecoverySlot(number: 2)])
        try trusted().addSlot(.rawKey(testKey(8)))
        let before = try scratch.bytes("test.db")
        #expect(failureCode { _ = try restore(.recoveryKey(recovery)) } == .tamperedHeader)
        #expect(try scratch.bytes("test.db") == before)
        #expect(try restore(.rawKey(testKey())).warnings == [.unauthenticatedSlotKept(number: 2)])
    }
}
