import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("live queries: conditions in one statement")
struct LiveConditionsTests {
    @Test("parameters are numbered anew, and what only looks like one stays")
    func shifted() {
        #expect(LiveConditions.shifted("a = ?1 AND b = ?12", by: 5) == "a = ?6 AND b = ?17")
        #expect(LiveConditions.shifted("a = '?1 it''s ?2' OR \"?3\" = ?3", by: 1) == "a = '?1 it''s ?2' OR \"?3\" = ?4")
        #expect(LiveConditions.shifted("x'3f31' = ?1", by: 0) == "x'3f31' = ?1")
        #expect(LiveConditions.shifted("'é?1' = ?1", by: 2) == "'é?1' = ?3")
    }

    @Test("each query has the values of its own parameters, in statements of 64 conditions")
    func values() async throws {
        let test = try TestDatabase()
        try test.saveNumbered(150)
        let recorders = try (0..<150).map { number in
            let query: Query = try test.database.createQuery(
                "SELECT META().id FROM _ WHERE n = $n AND '?1' != $s" as String)
            query.parameters = Parameters().setInt(number, forName: "n").setString("s", forName: "s")
            return LiveRecorder(query)
        }
        for recorder in recorders { await recorder.wait(for: 1) }
        await test.settle()
        let before = test.statistics
        try test.save("new", #"{"n":77}"#)
        await recorders[77].wait(for: 2)
        await test.settle()
        #expect(recorders[77].last == #"{"id":"d77"} {"id":"new"}"#)
        #expect(test.statistics.executions == before.executions + 1)
        #expect(test.statistics.skippedChanges >= before.skippedChanges + 149)
        #expect(recorders.enumerated().allSatisfy { $0.element.all.count == ($0.offset == 77 ? 2 : 1) })
    }
}
