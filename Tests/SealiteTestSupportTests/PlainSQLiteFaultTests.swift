import SealiteTestSupport
import Testing

@Suite("faults under plain SQLite")
struct PlainSQLiteFaultTests {
    @Test("a failed operation leaves the old or the new state", arguments: Scenario.standard, Fault.Style.allCases)
    func faultsAreSurvived(scenario: Scenario, style: Fault.Style) throws {
        let stage = try Stage.plain("plain, \(style), \(scenario)")
        // A sample: the engine is on trial, not SQLite.
        let report = try FaultRunner(on: stage, limit: 40).run(scenario, style)
        print("fault \(style) · \(report)")
        #expect(report.complaints.isEmpty)
        #expect(report.reportedFaults > 0)
    }

    @Test("without a journal, a failed operation leaves a state of its own")
    func lossesAreFound() throws {
        let stage = try Stage.plain("plain, no journal")
        let report = try FaultRunner(on: stage, limit: 40).run(.commit("OFF", "FULL"), .lasting)
        print("fault \(Fault.Style.lasting) · \(report)")
        #expect(!report.complaints.isEmpty)
    }
}
