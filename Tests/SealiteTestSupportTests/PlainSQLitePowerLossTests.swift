import SealiteTestSupport
import Testing

/// The engine is held to what is known: plain SQLite keeps its promises, and breaks them where it makes none.
@Suite("power loss under plain SQLite")
struct PlainSQLitePowerLossTests {
    @Test("plain SQLite keeps its promises", arguments: Scenario.standard)
    func promisesAreKept(scenario: Scenario) throws {
        let stage = try Stage.plain("plain, power loss, \(scenario)")
        let report = try PowerLossRunner(on: stage).run(scenario)
        print("power loss · \(report)")
        #expect(report.complaints.isEmpty)
        #expect(report.lossyRuns > 0)
        #expect(report.runs >= Effort.current.runsPerScenario)
    }

    @Test(
        "without syncs, commits are lost or the database is damaged",
        arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
    func lossesAreFound(journal: String) throws {
        let stage = try Stage.plain("plain, unsafe, \(journal)")
        let report = try PowerLossRunner(on: stage).run(.commit(journal, "OFF"))
        print("power loss · \(report)")
        #expect(!report.complaints.isEmpty)
    }
}
