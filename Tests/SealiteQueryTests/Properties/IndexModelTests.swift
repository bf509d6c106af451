import Foundation
import SealiteDatabase
import SealiteQuery
import SealiteTestSupport
import Testing

@Suite("indexes against scans")
struct IndexModelTests {
    private static let isSoak = ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil

    @Test(
        "queries through value and array indexes have the rows of a scan after any changes",
        arguments: TestSeed.seeds(isSoak ? 100 : 3))
    func changes(seed: UInt64) throws {
        let test = try TestDatabase()
        var model = try IndexModel(test.database, seed: seed)
        try model.makeIndexes()
        for _ in 0..<6 {
            for _ in 0..<60 { try model.step() }
            try model.check(seed)
        }
    }

    @Test(
        "a process that is killed among random changes leaves indexes as a scan has them",
        arguments: TestSeed.seeds(isSoak ? 40 : 2))
    func kills(seed: UInt64) async throws {
        let file = try TestFile()
        var random = SeededRandom(seed: seed)
        for _ in 1...6 {
            await kill(file.path, seed: random.next(), pause: UInt32.random(in: 0...60_000, using: &random))
            try file.withDatabase { database in
                #expect(try database.defaultCollection().indexes().isEmpty == false)
                var model = try IndexModel(database, seed: random.next())
                try model.check(seed)
            }
        }
    }

    /// Makes random changes in another process, which is killed at a random moment among them.
    private func kill(_ path: String, seed: UInt64, pause: UInt32) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, pause = pause as UInt32, seed = seed as UInt64] in
            var model = try IndexModel(try TestFile.open(path), seed: seed)
            try model.makeIndexes()
            for _ in 0..<20 { try model.step() }
            Thread.detachNewThread {
                letTimePass(.microseconds(Int64(pause)), because: "the process is killed at a random moment")
                _ = Foundation.kill(getpid(), SIGKILL)
            }
            while true { try model.step() }
        }
    }
}
