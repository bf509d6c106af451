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
}
