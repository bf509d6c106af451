@testable import SealiteProtocolTestSupport
import Foundation
import SealiteTestSupport
import Testing

@Suite("three databases of version vectors, step by step")
struct VectorTriangleTests {
    /// Rounds of each shape; 1,000 in the long form (`SEALITE_SOAK=1`).
    private static let rounds = ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1" ? 1_000 : 3
    /// Rounds after which the databases are made anew.
    private static let worldRounds = 20

    @Test(
        "random edits, conflicts and lost connections on all sides end in the same documents",
        arguments: VectorTriangle.Shape.allCases)
    func converge(_ shape: VectorTriangle.Shape) throws {
        var random = SeededRandom()
        var cutCount = 0
        var conflictCount = 0
        for round in stride(from: 0, to: Self.rounds, by: Self.worldRounds) {
            let (seed, rounds) = (random.next(), min(Self.worldRounds, Self.rounds - round))
            let world = try VectorTriangle(shape, seed: seed)
            guard try isEqual(world, rounds) else {
                // The same again, with all that happens.
                let traced = try VectorTriangle(shape, seed: seed, isTracing: true)
                _ = try isEqual(traced, rounds)
                let differences = try world.differences.joined(separator: "\n")
                let trace = traced.trace.suffix(200).joined(separator: "\n")
                Issue.record("\(shape), seed \(TestSeed.run), round \(round):\n\(differences)\n\(trace)")
                return
            }
            #expect(world.errors == [], "\(shape), seed \(TestSeed.run)")
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
