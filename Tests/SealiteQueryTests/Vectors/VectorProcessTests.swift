import Foundation
import SealiteDatabase
import SealiteFile
import SealiteTestSupport
import Synchronization
import Testing

@testable import SealiteQuery

@Suite("vector indexes of several processes, killed ones, and rotated keys")
struct VectorProcessTests {
    private static let isSoak = Effort.current == .soak
    private static let kills = isSoak ? 60 : 3

    @Test("a process that is killed while an index is trained and filled leaves one that agrees with the documents")
    func killedBuilding() async throws {
        let file = try TestFile()
        try file.withDatabase { database in
            var vectors = ScannedVectors(database, seed: 1)
            try vectors.fill(0..<900)
        }
        var random = SeededRandom()
        for round in TestSeed.seeds(Self.kills) {
            let pause = UInt32.random(in: 0...400_000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = file.path as String, pause = pause as UInt32] in
                let database = try TestFile.open(path)
                let vectors = ScannedVectors(database, seed: 1)
                killSoon(pause)
                while true {
                    try vectors.makeIndex()
                    try database.defaultCollection().deleteIndex(forName: "near")
                }
            }
            #expect(try ScannedVectors.findings(of: file, seed: round) == [], "round \(round)")
        }
    }

    @Test("a process that is killed among changes and searches leaves an index that agrees with the documents")
    func killedChanges() async throws {
        let file = try TestFile()
        try file.withDatabase { try ScannedVectors($0, seed: 1).makeIndex(lists: 2) }
        var random = SeededRandom()
        for round in TestSeed.seeds(Self.kills) {
            let pause = UInt32.random(in: 0...400_000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = file.path as String, pause = pause as UInt32, seed = round as UInt64] in
                var vectors = ScannedVectors(try TestFile.open(path), seed: seed)
                killSoon(pause)
                // More documents each time, so that the index is trained anew.
                while true { try vectors.step(of: 600) }
            }
            #expect(try ScannedVectors.findings(of: file, seed: round) == [], "round \(round)")
        }
    }

    @Test("searches beside another process that writes find the nearest documents of a state", .endsIfItHangs)
    func twoProcesses() async throws {
        let file = try TestFile()
        try file.withDatabase { database in
            var vectors = ScannedVectors(database, seed: 2)
            try vectors.fill(0..<200)
            try vectors.makeIndex()
        }
        let isDone = Flag()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(processExitsWith: .success) { [path = file.path as String] in
                    var vectors = ScannedVectors(try TestFile.open(path), seed: 3)
                    for _ in 0..<(Effort.current == .soak ? 20_000 : 250) { try vectors.step(of: 700) }
                }
                isDone.set()
            }
            group.addTask {
                #expect(throws: Never.self) { try Self.search(file, until: isDone) }
            }
        }
        #expect(try ScannedVectors.findings(of: file, seed: 5) == [])
    }

    /// Searches, and enters documents if it can, until another process is done.
    private static func search(_ file: TestFile, until isDone: Flag) throws {
        try file.withDatabase { database in
            var vectors = ScannedVectors(database, seed: 4)
            var count = 0
            while count < 10 || !isDone.isSet {
                if count % 5 == 0 { try database.defaultCollection().completeVectorIndex("near") }
                if let flaw = try vectors.flaw() {
                    Issue.record("search \(count): \(flaw)")
                    return
                }
                count += 1
            }
        }
    }

    @Test("searches and changes while keys are rotated find the nearest documents", .endsIfItHangs)
    func rotation() throws {
        let file = try TestFile()
        try file.withDatabase { database in
            var vectors = ScannedVectors(database, seed: 6)
            try vectors.fill(0..<500)
            try vectors.makeIndex()
        }
        let sealed = try TestFile.unlock(file.path)
        try file.withDatabase { database in
            var vectors = ScannedVectors(database, seed: 7)
            for _ in 0..<(Self.isSoak ? 50 : 2) {
                try Self.whileKeysAreRotated(sealed) {
                    try vectors.step(of: 600)
                    if let flaw = try vectors.flaw() { Issue.record("\(flaw)") }
                }
            }
        }
        #expect(try ScannedVectors.findings(of: file, seed: 8) == [])
    }

    /// Repeats some work while another thread rotates keys, at least once in the middle of it.
    private static func whileKeysAreRotated(_ sealed: SealedDatabase, _ work: () throws -> Void) throws {
        let rotation = RotationBox(rotation: try KeyRotation(of: sealed))
        let isDone = Flag()
        let (begun, worked, rotating) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup()
        )
        DispatchQueue.global().async(group: rotating) {
            var isFirst = true
            #expect(throws: Never.self) {
                try rotation.rotation.run(busyTimeout: .seconds(60)) { _ in
                    if isFirst {
                        begun.signal()
                        worked.wait()
                    }
                    isFirst = false
                    return .proceed
                }
            }
            isDone.set()
        }
        begun.wait()
        defer { rotating.wait() }
        do {
            defer { worked.signal() }
            try work()
        }
        while !isDone.isSet { try work() }
    }

    /// Something that is done once.
    private final class Flag: Sendable {
        private let value = Mutex(false)

        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    /// A rotation that another thread runs.
    // Sendable because only that thread uses it.
    private final class RotationBox: @unchecked Sendable {
        let rotation: KeyRotation
        init(rotation: KeyRotation) { self.rotation = rotation }
    }
}
