import SealiteFileTestSupport
import SealiteMaintenance
import SealiteTestSupport
import Testing

@testable import SealiteFile

/// The suites of behaviour, faults and power loss once more with `PRAGMA secure_delete=OFF`, SQLite's default, which Debian's
/// library changes. In short form, save with `SEALITE_SOAK=1`.
@Suite("with secure_delete off")
struct SecureDeleteTests {
    private static let isSoak = Effort.current == .soak
    private static let journals = ["DELETE", "TRUNCATE", "PERSIST", "WAL"]
    private static let modes = journals + ["MEMORY", "OFF"]

    /// The standard scenarios, of which each journal mode has one about commits, and those that skip pages.
    private static let scenarios =
        Scenario.standard.filter { isSoak || !$0.name.hasPrefix("commit") || $0.name.hasSuffix("FULL") }
        + journals.map { .skippedPages($0) }

    @Test("each connection of the tests below has it off")
    func setting() throws {
        let folder = try Folder()
        let database = try folder.create()
        #expect(try withSecureDeleteOff { try database.connect().integer("PRAGMA secure_delete") } == 0)
        #expect(try withSecureDeleteOff { try database.connect().text("PRAGMA journal_mode") } == "delete")
    }

    @Test("everything SQLite can do works in every journal mode", arguments: modes)
    func behaviour(mode: String) throws {
        try withSecureDeleteOff {
            for pageSize in Self.isSoak ? [1024, 2048, 4096, 8192, 16384, 32768, 65536] : [1024] {
                try FeatureTests().pageSizes(pageSize: pageSize, mode: mode)
            }
            for setting in [AutoVacuum.none, .full, .incremental] {
                try FeatureTests().autoVacuum(setting: setting, mode: mode)
            }
            try FeatureTests().virtualTables(mode: mode)
            try FeatureTests().spills(mode: mode)
            if mode != "OFF" { try JournalModeTests().keepsRows(mode: mode) }
            if mode != "OFF", mode != "MEMORY" { try HoleTests().backup(mode: mode) }
            for setting in [AutoVacuum.none, .full, .incremental] {
                try BackupTests().holes(mode: mode, autoVacuum: setting)
            }
            try BackupTests().betweenSealed(mode: mode)
            try AttachTests().three(mode: mode)
        }
    }

    @Test("a sealed database keeps the promises of plain SQLite after a power loss", arguments: scenarios)
    func powerLoss(scenario: Scenario) throws {
        try withSecureDeleteOff {
            let stage = try Stage.sealed("power loss, secure_delete off, \(scenario)")
            let report = try PowerLossRunner(on: stage, effort: Self.isSoak ? .soak : .brief).run(scenario)
            print("power loss, sealed, secure_delete off · \(report)")
            #expect(report.complaints.isEmpty)
            #expect(report.lossyRuns > 0)
        }
    }

    @Test(
        "a failed operation leaves the old or the new state", arguments: scenarios,
        isSoak ? Fault.Style.allCases : [.error])
    func faults(scenario: Scenario, style: Fault.Style) throws {
        try withSecureDeleteOff {
            let stage = try Stage.sealed("\(style), secure_delete off, \(scenario)")
            let report = try FaultRunner(on: stage, limit: 8).run(scenario, style)
            #expect(report.complaints.isEmpty)
            #expect(report.runs > 0)
        }
    }
}
