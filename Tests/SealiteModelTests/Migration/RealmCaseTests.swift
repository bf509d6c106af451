import SealiteDatabase
import SealiteValues
import Testing

@testable import SealiteModel

@Suite("cases of Realm's migrations")
struct RealmCaseTests {
    private let cases: ModelCases

    init() throws { cases = try ModelCases("realm-migration") }

    @Test("schemas differ as in Realm")
    func compare() {
        cases.run("compare") { one in
            guard let old = RealmSchema.schema(one.members.documents("old")),
                let new = RealmSchema.schema(one.members.documents("new"))
            else { return nil }
            let changes = old.changes(to: new)
            let texts = changes.map(\.description).sorted()
            if texts != one.members.texts("changes").sorted() { return "the changes are \(texts)" }
            if changes.contains(where: \.needsMigration) != one.members.flag("needsMigration") { return "another need" }
            return changes.allSatisfy(\.isAdditive) == one.members.flag("allowedWhenSynced")
                ? nil : "another permission"
        }
    }

    @Test("schemas are sound or not as in Realm")
    func validate() {
        cases.run("validate") { one in
            guard let schema = RealmSchema.schema(one.members.documents("schema")) else { return nil }
            let problems = schema.problems(isSynced: one.members.flag("synced"))
            return problems.sorted() == one.members.texts("errors").sorted() ? nil : "the problems are \(problems)"
        }
    }

    @Test("databases open, or don't, as in Realm")
    func open() throws { try cases.run("open") { try RealmOpening($0).difference() } }

    @Test("migrations end as in Realm")
    func migrate() throws {
        // Values that are there stay when a property becomes required, and absent ones need a default: Realm wipes them all.
        let contradictions = ["realm-073": "a required property's values stay, and absent ones need a default"]
        try cases.run("migrate", contradictions: contradictions) { try RealmMigration($0).difference() }
    }

    @Test("renames fail as in Realm")
    func renames() throws { try cases.run("renameError") { try RealmMigration($0).difference() } }
}

extension SchemaError {
    /// The name that the cases have for the error.
    var caseName: String {
        switch self {
        case .readOnlyMismatch, .versionMismatch: "schemaMismatch"
        case .migrationNotAllowed: "migrationNotAllowed"
        default: String("\(Mirror(reflecting: self).children.first?.label ?? "")")
        }
    }
}
