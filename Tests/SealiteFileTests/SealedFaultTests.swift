import SealiteTestSupport
import Testing

@Suite("faults under sealed databases")
struct SealedFaultTests {
    @Test("a failed operation leaves the old or the new state", arguments: Scenario.standard, Fault.Style.allCases)
    func faultsAreSurvived(scenario: Scenario, style: Fault.Style) throws {
        let stage = try Stage.sealed("\(style), \(scenario)")
        // A sample of the operations, evenly spread, more of the plain errors than of the other styles. The soak fails each one.
        let report = try FaultRunner(on: stage, limit: style == .error ? 100 : 20).run(scenario, style)
        print("fault \(style), sealed · \(report)")
        #expect(report.complaints.isEmpty)
        #expect(report.reportedFaults > 0)
    }
}
