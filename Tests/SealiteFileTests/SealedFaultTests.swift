import SealiteTestSupport
import Testing

@Suite("faults under sealed databases")
struct SealedFaultTests {
    @Test("a failed operation leaves the old or the new state", arguments: Scenario.standard, Fault.Style.allCases)
    func faultsAreSurvived(scenario: Scenario, style: Fault.Style) throws {
        let stage = try Stage.sealed("\(style), \(scenario)")
        // Every operation once, save those of a spilled cache; of the other styles a sample.
        let report = try FaultRunner(on: stage, limit: style == .error ? 400 : 50).run(scenario, style)
        print("fault \(style), sealed · \(report)")
        #expect(report.complaints.isEmpty)
        #expect(report.reportedFaults > 0)
    }
}
