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
}
