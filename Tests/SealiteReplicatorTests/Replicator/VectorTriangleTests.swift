@testable import SealiteProtocolTestSupport
import Foundation
import Testing

@Suite("Three databases of version vectors, step by step")
struct VectorTriangleTests {
    /// Rounds of each shape; 1,000 in the long form (`SEALITE_SOAK=1`).
    private static let rounds = ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1" ? 1_000 : 3
    /// Rounds after which the databases are made anew.
    private static let worldRounds = 20

    @Test(
        "random edits, conflicts and lost connections on all sides end in the same documents",
        arguments: VectorTriangle.Shape.allCases)
    func converge(_ shape: VectorTriangle.Shape) throws {
        if let only = ProcessInfo.processInfo.environment["SEALITE_SHAPE"], only != "\(shape)" { return }
        let seed = SeededRandom.runSeed
        var random = SeededRandom(seed: seed)
        let traced = ProcessInfo.processInfo.environment["SEALITE_TRACE"].flatMap(Int.init) ?? 1_000_000
        var isTracing = false
        var world = try VectorTriangle(shape, seed: random.next(), isTracing: isTracing)
        for round in 0..<Self.rounds {
            if round >= traced { isTracing = true }
            if round % 20 == 0 { world = try VectorTriangle(shape, seed: random.next(), isTracing: isTracing) }
            for _ in 0..<400 { try world.act() }
            let isSettled = try world.settle()
            let differences = try world.differences
            guard isSettled, differences.isEmpty else {
                if isTracing {
                    try world.trace.joined(separator: "\n").write(
                        toFile: "/tmp/t-soak/trace-\(shape).txt", atomically: true, encoding: .utf8)
                }
                Issue.record(
                    "\(shape) seed \(seed), round \(round), settled \(isSettled):\n\(differences.joined(separator: "\n"))\n\(world.errors)"
                )
                return
            }
            #expect(world.errors == [], "\(shape), seed \(SeededRandom.runSeed)")
            cutCount += world.cutCount
            conflictCount += world.conflictCount
        }
        #expect(cutCount > 0 && conflictCount > 0)
    }

    private func isEqual(_ world: VectorTriangle, _ rounds: Int) throws -> Bool {
        for _ in 0..<rounds {
            for _ in 0..<400 { try world.act() }
            guard try world.settle(), try world.differences.isEmpty else { return false }
        }
        return true
    }
}
