import SealiteTestSupport
import Testing

@Suite("power loss under sealed databases")
struct SealedPowerLossTests {
    @Test("a sealed database keeps the promises of plain SQLite", arguments: Scenario.standard)
    func promisesAreKept(scenario: Scenario) throws {
        let stage = try Stage.sealed("power loss, \(scenario)")
        let report = try PowerLossRunner(on: stage).run(scenario)
        print("power loss, sealed · \(report)")
        #expect(report.complaints.isEmpty)
        #expect(report.lossyRuns > 0)
        #expect(report.runs >= Effort.current.runsPerScenario)
    }

    @Test(
        "a transaction over a sealed database and one of another key, or a plain one, is whole in both or in neither",
        arguments: ["DELETE", "TRUNCATE", "PERSIST"], [Stage.Companion.otherKey, .plain])
    func attached(journal: String, companion: Stage.Companion) throws {
        let scenario = Scenario.attach(journal)
        let stage = try Stage.sealed("power loss, \(scenario), \(companion.rawValue)", beside: companion)
        let report = try PowerLossRunner(on: stage).run(scenario)
        print("power loss, sealed beside \(companion.rawValue) · \(report)")
        #expect(report.complaints.isEmpty)
        #expect(report.lossyRuns > 0)
        #expect(report.runs >= Effort.current.runsPerScenario)
    }
}
