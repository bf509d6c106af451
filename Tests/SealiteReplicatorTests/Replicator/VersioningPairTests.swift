@testable import SealiteProtocolTestSupport
import Foundation
import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

@Suite("pairs of databases with revision trees, version vectors, and vectors after an upgrade")
struct VersioningPairTests {
    /// Rounds of each case in the long form (`SEALITE_SOAK=1`).
    private static let rounds = ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1" ? 1_000 : 2

    @Test("random edits, purges, conflicts and lost connections end in equal documents", arguments: VersioningCase.all)
    func converge(_ kind: VersioningCase) throws {
        let seed = TestSeed.run
        let world = try VersioningWorld(kind, seed: seed)
        var random = SeededRandom(seed: seed &+ 1)
        #expect(try world.differences == [], "\(kind) seed \(seed), beginning")
        for round in 0..<Self.rounds {
            for _ in 0..<5 { try world.edit() }
            if Bool.random(using: &random) { try world.sync(losingAfter: Int.random(in: 1..<60, using: &random)) }
            for _ in 0..<2 { try world.edit() }
            guard try world.settle() else {
                let differences = try world.differences.joined(separator: "\n")
                Issue.record("\(kind) seed \(seed) round \(round):\n\(differences)\n\(world.errors)")
                return
            }
        }
        #expect(world.errors == [], "\(kind) seed \(seed)")
        #expect(try world.client.findings.isEmpty && world.server.findings.isEmpty)
        if Self.rounds > 100 {
            #expect(world.cutCount > 0 && (world.conflictCount > 0 || !(kind.isPush && kind.isPull)))
        }
    }
}
