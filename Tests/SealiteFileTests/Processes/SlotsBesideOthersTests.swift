import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import SealiteTestSupport
import Testing

@testable import SealiteFile

/// Slots that are changed by one while others have the file open, and while its keys are rotated.
@Suite("slots changed beside others")
struct SlotsBesideOthersTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test(
        "a process that has the file open goes on as before, whatever becomes of the slots",
        arguments: ["WAL", "DELETE"])
    func openElsewhere(mode: String) throws {
        let database = try folder.create(mode: mode, rows: 50)
        try database.addSlot(.rawKey(rawKey(8)), label: "second")
        let process = try ChildProcess(ChildProcess.buildFolder + "/SealiteTestChild")
        #expect(try process.answer("open c \(folder.file("a.db")) 8") == [])
        #expect(try process.answer("sql c SELECT count(*) FROM notes") == ["50"])
        try database.addSlot(.rawKey(rawKey(9)), label: "third")
        try database.changeSlot(1, to: .rawKey(rawKey(10)))
        #expect(try process.answer("sql c INSERT INTO notes(body) VALUES ('a'); SELECT count(*) FROM notes") == ["51"])
        // Also the one whose own slot is gone: it has the master key.
        try database.removeSlot(2)
        #expect(try process.answer("sql c INSERT INTO notes(body) VALUES ('b'); SELECT count(*) FROM notes") == ["52"])
        #expect(try process.answer("close c") == [])
        #expect(failureCode { _ = try folder.open(seed: 8) } == .wrongKey)
        #expect(failureCode { _ = try folder.open(seed: 7) } == .wrongKey)
        #expect(try folder.open(seed: 9).connect().integer("SELECT count(*) FROM notes") == 52)
        #expect(try folder.open(seed: 10).verify().isSound)
    }

    @Test("a slot that another has changed or replaced since it was read is neither changed nor removed")
    func changedSince() throws {
        let database = try folder.create(rows: 1)
        try database.addSlot(.rawKey(rawKey(8)), label: "second")
        let read = try #require(database.ring.content.slots[1])
        let listed = try #require(try database.slots().last)
        let other = try folder.open(seed: 7)
        try other.changeSlot(2, to: .rawKey(rawKey(9)), id: listed.id)
        #expect(failureCode { try database.changeSlot(2, from: read, to: .rawKey(rawKey(10))) } == .busy)
        #expect(try folder.open(seed: 9).verify().isSound)
        try other.removeSlot(2, id: listed.id)
        #expect(failureCode { try database.removeSlot(2, id: listed.id) } == .busy)
        try other.addSlot(.rawKey(rawKey(11)), label: "second")
        #expect(failureCode { try database.changeSlot(2, to: .rawKey(rawKey(10)), id: listed.id) } == .busy)
        #expect(failureCode { try database.removeSlot(2, id: listed.id) } == .busy)
        #expect(try folder.open(seed: 11).verify().isSound)
    }

    @Test("slots are added, changed and removed while a rotation is under way", arguments: ["WAL", "DELETE"])
    func duringRotation(mode: String) throws {
        let database = try folder.create(mode: mode, rows: 2000)
        try database.addSlot(.rawKey(rawKey(8)), label: "second")
        let rotation = try KeyRotation(of: database)
        try rotation.supply(.rawKey(rawKey(8)))
        rotation.pace = RotationPace(firstBatchByteCount: 16 << 10, largestBatchByteCount: 16 << 10, leastPause: 0)
        var isDone = false
        let report = try rotation.run { progress in
            guard !isDone, progress.pagesDone > 0 else { return .proceed }
            isDone = true
            do {
                let other = try folder.open(seed: 8)
                try other.addSlot(.rawKey(rawKey(9)), label: "third")
                try other.changeSlot(1, to: .rawKey(rawKey(10)))
                try other.removeSlot(2)
            } catch {
                Issue.record(error)
            }
            return .proceed
        }
        #expect(isDone && report.epoch == 2)
        #expect(try database.slots().map(\.label) == ["", "third"])
        #expect([7, 8].allSatisfy { seed in failureCode { _ = try folder.open(seed: seed) } == .wrongKey })
        for seed: UInt8 in [9, 10] {
            let opened = try folder.open(seed: seed)
            #expect(try opened.connect().integer("SELECT count(*) FROM notes") == 2000)
            #expect(try opened.publicHeader().previousEpoch == nil && opened.verify().isSound)
        }
    }

    @Test(
        "a rotation by a handle whose slot's secret another has changed asks for the new secret",
        arguments: [false, true])
    func staleSecret(isPreparedBefore: Bool) throws {
        let database = try folder.create(mode: "WAL", rows: 20)
        let prepared = isPreparedBefore ? try KeyRotation(of: database) : nil
        try folder.open(seed: 7).changeSlot(1, to: .rawKey(rawKey(8)))
        if let prepared {
            #expect(failureCode { _ = try prepared.run() } == .refused)
        }
        let rotation = try KeyRotation(of: database)
        #expect(rotation.undecidedSlots == [1])
        #expect(failureCode { _ = try rotation.run() } == .invalidArgument)
        #expect(failureCode { try rotation.supply(.rawKey(rawKey(7))) } == .wrongKey)
        #expect(try folder.open(seed: 8).verify().isSound)
        try rotation.supply(.rawKey(rawKey(8)))
        #expect(try rotation.run().epoch == 2)
        #expect(failureCode { _ = try folder.open(seed: 7) } == .wrongKey)
        #expect(try folder.open(seed: 8).connect().integer("SELECT count(*) FROM notes") == 20)
        // The handle goes on with the keys of the rotation, also through the next one.
        let next = try KeyRotation(of: database)
        try next.supply(.rawKey(rawKey(8)))
        #expect(try next.run().epoch == 3)
        #expect(try folder.open(seed: 8).verify().isSound)
    }

    @Test("a slot whose secret is changed after it was supplied to a rotation is neither lost nor rotated")
    func suppliedThenChanged() throws {
        let database = try folder.create(mode: "WAL", rows: 20)
        try database.addSlot(.rawKey(rawKey(8)), label: "second")
        let rotation = try KeyRotation(of: database)
        try rotation.supply(.rawKey(rawKey(8)))
        try folder.open(seed: 8).changeSlot(2, to: .rawKey(rawKey(9)))
        #expect(failureCode { _ = try rotation.run() } == .refused)
        #expect(try folder.open(seed: 9).verify().isSound && folder.open(seed: 7).verify().isSound)
    }

    @Test("a slot whose secret is changed while an interrupted rotation is completed isn't replaced by the next one")
    func changedDuringResumption() throws {
        let database = try folder.create(mode: "WAL", rows: 20)
        #expect(failureCode { _ = try KeyRotation(of: database).run { _ in .stop } } == .cancelled)
        let rotation = try KeyRotation(of: database)
        try rotation.replaceSlot(1, with: .rawKey(rawKey(9)))
        var isChanged = false
        let code = failureCode {
            _ = try rotation.run { _ in
                guard !isChanged else { return .proceed }
                isChanged = true
                #expect(throws: Never.self) { try folder.open().changeSlot(1, to: .rawKey(rawKey(8))) }
                return .proceed
            }
        }
        #expect(isChanged && code == .refused)
        #expect(try folder.open(seed: 8).verify().isSound)
    }

    /// Something that another handle does after a rotation was prepared.
    enum Meddling: CaseIterable { case relabelReplaced, removeReplaced, changeDropped }

    @Test(
        "a slot that was to be replaced or dropped, and that another changed or removed, stops the rotation",
        arguments: Meddling.allCases)
    func changedAfterDecision(meddling: Meddling) throws {
        let database = try folder.create(rows: 20)
        try database.changeSlot(1, to: .rawKey(rawKey(7)), label: "a")
        let paper = try RecoveryKey()
        try database.addSlot(.recovery(paper), label: "paper")
        try database.addSlot(.rawKey(rawKey(8)), label: "second")
        let rotation = try KeyRotation(of: database)
        try rotation.replaceSlot(1, with: .rawKey(rawKey(9)))
        try rotation.dropSlot(3)
        let other = try folder.open()
        switch meddling {
        case .relabelReplaced:
            try other.changeSlot(1, to: .rawKey(rawKey(7)), label: "b")
            try other.changeSlot(2, to: .recovery(paper), label: "a")
        case .removeReplaced: try other.removeSlot(1)
        case .changeDropped: try other.changeSlot(3, to: .rawKey(rawKey(10)))
        }
        let before = try BaseHandle.readHeader(database.path, vfs: "unix").content
        #expect(failureCode { _ = try rotation.run() } == .refused)
        #expect(try BaseHandle.readHeader(database.path, vfs: "unix").content == before)
        #expect(try folder.open(seed: meddling == .removeReplaced ? 8 : 7).verify().isSound)
    }

    @Test("a header that no reader would take isn't written")
    func illegalHeader() throws {
        let database = try folder.create(rows: 5)
        try database.addSlot(.rawKey(rawKey(8)), label: "second")
        #expect(failureCode { try database.editHeader { $0.slots[1] = $0.slots[0] } } == .internalFailure)
        #expect(try folder.open(seed: 8).verify().isSound)
    }
}
