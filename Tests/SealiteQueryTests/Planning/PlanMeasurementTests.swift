import SealiteDatabase
import SealiteFile
import Testing

@testable import SealiteQuery

@Suite("measured plans")
struct PlanMeasurementTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.database.write { transaction in
            for number in 1...400 {
                let document = MutableDocument(id: "d\(number)")
                document.setInt(number, forKey: "number").setString("city \(number % 10)", forKey: "city")
                document.setValue(.array(ArrayObject([1, 2, 3].map { .number(Number($0)) })), forKey: "list")
                try transaction.save(document, in: try test.collection)
            }
        }
    }

    private func index(_ name: String, _ expressions: String...) throws {
        try test.collection.createIndex(withName: name, config: ValueIndexConfiguration(expressions))
    }

    private func measured(_ text: String, _ parameters: Parameters? = nil) throws -> QueryPlan {
        let query = try test.database.createQuery(text as String)
        query.parameters = parameters
        return try query.explain(measuring: true)
    }

    /// The numbers of read rows of all steps that have one, outermost first.
    private func reads(_ plan: QueryPlan) -> [Int] {
        func reads(_ steps: [QueryPlan.Step]) -> [Int] {
            steps.flatMap { [$0.readRowCount].compactMap { $0 } + reads($0.steps) }
        }
        return reads(plan.steps)
    }

    @Test("a scan reads every document, and a range of an index the documents in it")
    func scanAndIndex() throws {
        let scan = try measured("SELECT number FROM _ WHERE number <= 20")
        #expect(reads(scan) == [400] && scan.measurement?.rowCount == 20)
        #expect(scan.steps.first?.estimatedRowCount == 400)
        try index("number", "number")
        let search = try measured(
            "SELECT city FROM _ WHERE number <= $most", Parameters().setInt(20, forName: "most"))
        // The bound is no literal: the greatest key is looked at in its document too.
        #expect(reads(search) == [20, 20] && search.measurement?.rowCount == 20)
        #expect(reads(try measured("SELECT COUNT(*) FROM _ WHERE number < 20")) == [19])
        #expect(try #require(search.measurement).requestedPageCount >= search.measurement?.openedPageCount ?? .max)
        #expect(search.description.contains("20 rows in ") && search.description.contains("20 read"))
    }

    @Test(
        "joins, arrays, groups, subqueries and outer joins have the numbers of rows that their steps read",
        arguments: [
            ("SELECT a.number FROM _ a JOIN _ b ON b.number = a.number WHERE a.number < 6", [5, 5, 5, 5]),
            ("SELECT x FROM _ d UNNEST d.list AS x WHERE d.number = 1", [1, 1, 3]),
            ("SELECT number, COUNT(*) FROM _ WHERE number < 11 GROUP BY number", [10, 10]),
            ("SELECT number FROM _ a WHERE number < 4 AND EXISTS (SELECT 1 FROM _ b WHERE b.number = 7)", [3, 1, 3]),
            (
                "SELECT a.number, b.number FROM _ a LEFT JOIN _ b ON b.number = a.number + 398 WHERE a.number < 4",
                [3, 3, 2]
            ),
        ])
    func shapes(_ text: String, _ wanted: [Int]) throws {
        try index("number", "number")
        let plan = try measured(text)
        #expect(reads(plan) == wanted, "\(plan)")
    }

    @Test(
        "what goes through an index over elements can be measured",
        arguments: [
            "SELECT number FROM _ WHERE 2 IN list", "SELECT COUNT(*) FROM _ WHERE 2 IN list",
            "SELECT number FROM _ WHERE ANY x IN list SATISFIES x = 2 END",
            "SELECT x FROM _ d UNNEST d.list AS x WHERE x = 2",
            "SELECT COUNT(*) FROM _ d UNNEST d.list AS x WHERE x = 2", "SELECT COUNT(*) FROM _ d UNNEST d.list AS x",
        ])
    func elements(_ text: String) throws {
        try test.collection.createIndex(withName: "list", config: ArrayIndexConfiguration(path: "list"))
        let plan = try measured(text)
        #expect(plan.description.contains("index list"))
        #expect(plan.measurement?.rowCount == (text.contains("COUNT") ? 1 : 400))
    }

    @Test("statistics say how many rows an equality leads to")
    func estimates() throws {
        try index("city", "city")
        let text = "SELECT number FROM _ WHERE city = 'city 3'"
        #expect(try measured(text).steps.first?.estimatedRowCount == nil)
        try test.database.performMaintenance(type: .fullOptimize)
        let plan = try measured(text)
        #expect(plan.steps.first?.estimatedRowCount == 40 && plan.steps.first?.readRowCount == 40)
    }

    @Test("measuring takes part in a transaction and changes nothing")
    func transactions() throws {
        try test.database.inBatch {
            try test.collection.save(document: MutableDocument(id: "new"))
            #expect(reads(try measured("SELECT number FROM _ WHERE city = 'x'")) == [401])
        }
        let plan = try measured("UPDATE _ SET number = 0 WHERE number = 4")
        #expect(reads(plan) == [401])
        #expect(try measured("SELECT number FROM _ WHERE number = 4").measurement?.rowCount == 1)
        #expect(try (test.database.createQuery("SELECT number FROM _").explain() as QueryPlan).measurement == nil)
    }

    @Test("counters come from the one who runs a statement and from nobody else")
    func forgedCounters() throws {
        var results: [Int64] = []
        try test.database.readRows(
            "SELECT query_visited(x'00', 5, 1) + query_visited(NULL, -1, 1) + query_visited(4096, 0, 1)"
        ) {
            results.append($0.int64(at: 0))
        }
        #expect(results == [3])
    }
}
