import Foundation
import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("plans and indexes")
struct IndexPlanTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.database.write { transaction in
            for number in 1...300 {
                let document = MutableDocument(id: "d\(number)")
                document.setInt(number, forKey: "number").setString("city \(number % 10)", forKey: "city")
                if number % 3 == 0 { document.setString(number % 2 == 0 ? "odd" : "even", forKey: "kind") }
                document.setValue(
                    .dictionary(["first": .string("Ann\(number)"), "last": .string("B")]), forKey: "name")
                try transaction.save(document, in: try test.collection)
            }
        }
    }

    private func make(_ name: String, _ expressions: [String], where condition: String? = nil) throws {
        try test.collection.createIndex(
            withName: name, config: ValueIndexConfiguration(expressions, where: condition))
    }

    private func plan(_ text: String) throws -> QueryPlan { try test.database.createQuery(text as String).explain() }

    /// The indexes that a query uses, and that its rows are those which it has without them.
    private func indexes(_ text: String) throws -> [String] {
        func names(_ steps: [QueryPlan.Step]) -> [String] {
            steps.flatMap { [$0.index].compactMap { $0 } + names($0.steps) }
        }
        return names(try plan(text).steps)
    }

    private func rows(_ text: String) throws -> [[QueryValue]] {
        try test.database.createQuery(text as String).execute().map(\.values)
    }

    @Test(
        "an index is used for what it can find, and gives the rows of a scan",
        arguments: [
            ("SELECT number FROM _ WHERE number = 7", true), ("SELECT number FROM _ WHERE 7 = number", true),
            ("SELECT number FROM _ WHERE number > 290 AND city = 'city 5'", true),
            ("SELECT number FROM _ WHERE number BETWEEN 5 AND 9", true),
            ("SELECT number FROM _ WHERE number IN (5, 9, 400)", true),
            ("SELECT number FROM _ AS d WHERE d.number < 4", true),
            ("SELECT number FROM _ WHERE number IS VALUED AND number < 3", true),
            ("SELECT number FROM _ WHERE number != 7", false), ("SELECT number FROM _ WHERE number + 1 = 7", false),
            ("SELECT number FROM _ WHERE number = 7 OR city = 'city 1'", false),
            ("SELECT number AS n FROM _ WHERE n = 7", true),
            ("SELECT a.number, b.number FROM _ a JOIN _ b ON a.number = b.number WHERE a.number < 20", true),
            ("SELECT a.number, b.number FROM _ a LEFT JOIN _ b ON b.number = a.number + 290 WHERE a.number < 20", true),
            (
                "SELECT a.number, b.number FROM _ a RIGHT JOIN _ b ON a.number = b.number + 290 WHERE b.number < 20",
                true
            ),
            ("SELECT a.number, b.number FROM _ a RIGHT JOIN _ b ON a.city = b.city AND a.number < 3", true),
            ("SELECT COUNT(*) FROM _ a RIGHT JOIN _ b ON a.number = b.number + 299 WHERE a.number IS MISSING", true),
            ("SELECT COUNT(*) FROM _ WHERE number >= 100", true),
            ("SELECT number FROM _ WHERE number > NULL", true), ("SELECT number FROM _ WHERE number > 'a'", true),
            ("SELECT number FROM _ a WHERE EXISTS (SELECT 1 FROM _ b WHERE b.number = a.number + 299)", true),
        ])
    func use(text: String, isUsed: Bool) throws {
        let before = try rows(text).map { "\($0)" }.sorted()
        #expect(try indexes(text) == [])
        try make("number", ["number"])
        #expect(try indexes(text).isEmpty == !isUsed)
        #expect(try rows(text).map { "\($0)" }.sorted() == before)
    }

    @Test("a count over an index, and a test of existence, read no document")
    func keysOnly() throws {
        try make("number", ["number"])
        let sql = try plan("SELECT COUNT(*) FROM _ WHERE number > 100").sql
        #expect(!sql.contains("documents_"))
        #expect(try rows("SELECT COUNT(*) FROM _ WHERE number > 100") == [[.integer(200)]])
    }

    @Test("an order by an index reads the index, and equals the order without it")
    func order() throws {
        let texts = [
            "SELECT number FROM _ ORDER BY number DESC LIMIT 10", "SELECT number FROM _ ORDER BY city, number LIMIT 10",
            "SELECT number FROM _ WHERE city = 'city 3' ORDER BY number DESC LIMIT 5",
        ]
        let before = try texts.map { try rows($0) }
        try make("number", ["number"])
        try make("both", ["city", "number"])
        for (text, rows) in zip(texts, before) {
            #expect(try self.rows(text) == rows)
            #expect(try indexes(text).count == 1)
        }
    }

    @Test("values that agree in the part that a key has are told apart, and ordered")
    func longValues() throws {
        let long = String(repeating: "x", count: 2000)
        try test.save(json: #"{"l1": {"city": "\#(long)b"}, "l2": {"city": "\#(long)a"}, "l3": {"city": "\#(long)"}}"#)
        try make("city", ["city"])
        #expect(try rows("SELECT META().id FROM _ WHERE city = '\(long)a'") == [[.text("l2")]])
        #expect(try rows("SELECT COUNT(*) FROM _ WHERE city > '\(long)a'") == [[.integer(1)]])
        #expect(
            try rows("SELECT META().id FROM _ ORDER BY city DESC LIMIT 3") == [
                [.text("l1")], [.text("l2")], [.text("l3")],
            ])
    }

    /// One form of the values that are equal: 1 for 1.0, and nothing but the fact for arrays and objects.
    private static func grouped(_ value: QueryValue) -> QueryValue {
        switch value {
        case .real(let number): Int64(exactly: number).map { .integer($0) } ?? value
        case .element(let bytes) where bytes.count > 1: .element([])
        default: value
        }
    }

    @Test(
        "groups of an indexed value are counted by its keys, and are those of a scan",
        arguments: [
            ("SELECT COUNT(*), city FROM _ GROUP BY city", true),
            ("SELECT city, COUNT(*) AS n FROM _ GROUP BY city HAVING n > 1 ORDER BY n DESC, city LIMIT 4", true),
            ("SELECT UPPER(city), COUNT(*) * 2 FROM _ WHERE city > 'city 4' GROUP BY city", true),
            ("SELECT COUNT(*) FROM _ GROUP BY (city COLLATE NOCASE)", true),
            ("SELECT city AS place, number, COUNT(*) FROM _ GROUP BY place, number", true),
            ("SELECT DISTINCT COUNT(*) FROM _ GROUP BY city", true),
            ("SELECT (SELECT COUNT(*) FROM _ AS o WHERE o.city = d.city) FROM _ AS d GROUP BY d.city", false),
            ("SELECT city, COUNT(*), MAX(number) FROM _ GROUP BY city", false),
            ("SELECT city, COUNT(number) FROM _ GROUP BY city", false),
            ("SELECT city, COUNT(*) FROM _ WHERE kind = 'odd' GROUP BY city", false),
            ("SELECT kind, COUNT(*) FROM _ GROUP BY kind, city", false),
            ("SELECT city, COUNT(*), COUNT(*) OVER () FROM _ GROUP BY city", false),
            ("SELECT city, COUNT(*), META().deleted AS d FROM _ GROUP BY city, META().deleted", false),
        ])
    func groups(text: String, isCounted: Bool) throws {
        let long = String(repeating: "x", count: 2000)
        try test.save(
            json: #"""
                {"l1": {"city": "\#(long)b"}, "l2": {"city": "\#(long)a"}, "l3": {"city": "\#(long)a"}, "n1": {"city": null},
                 "n2": {}, "n3": {"city": 1.0}, "n4": {"city": 1}, "n5": {"city": [1, {"b": 1, "a": 2}]},
                 "n6": {"city": [1.0, {"a": 2, "b": 1}]}, "n7": {"city": "CITY 7"}}
                """#)
        try test.collection.delete(document: try #require(try test.collection.document(id: "d9")))
        // A group's value is that of any of its documents.
        func sorted(_ rows: [[QueryValue]]) -> [String] { rows.map { "\($0.map(Self.grouped))" }.sorted() }
        let before = try rows(text)
        try make("city", ["city", "number"])
        #expect(sorted(try rows(text)) == sorted(before))
        #expect(try plan(text).sql.contains("SELECT count(*) AS n, ") == isCounted)
    }

    @Test("a partial index is used where the query fulfils its condition, and only there")
    func partial() throws {
        try make("odd", ["number"], where: "kind = 'odd'")
        #expect(try indexes("SELECT number FROM _ WHERE kind = 'odd' AND number < 50") == ["odd"])
        #expect(try indexes("SELECT number FROM _ WHERE number < 50") == [])
        #expect(try indexes("SELECT number FROM _ WHERE kind != 'even' AND number < 50") == [])
        #expect(try rows("SELECT COUNT(*) FROM _ WHERE kind = 'odd' AND number < 50") == [[.integer(8)]])
        try make("known", ["number"], where: "kind IS NOT MISSING")
        #expect(try indexes("SELECT number FROM _ WHERE kind = 'even' AND number < 50") == ["known"])
    }

    @Test("a LEFT JOIN on the condition of a partial index, with no bound on its keys, has the rows of a scan")
    func partialJoin() throws {
        let text = "SELECT a.number, b.number FROM _ a LEFT JOIN _ b ON b.kind = 'odd' WHERE a.number < 3"
        let before = try rows(text).map { "\($0)" }.sorted()
        #expect(before.count == 100)
        try make("odd", ["number"], where: "kind = 'odd'")
        #expect(try rows(text).map { "\($0)" }.sorted() == before)
    }

    @Test("IS with a value that may be MISSING finds documents that a partial index hasn't")
    func partialIdentity() throws {
        let texts = [
            "SELECT number FROM _ WHERE kind IS $p AND number < 5",
            "SELECT b.number FROM _ AS a JOIN _ AS b ON b.kind IS a.kind AND b.number < 5 WHERE META(a).id = 'd1'",
        ]
        try make("known", ["number"], where: "kind IS NOT MISSING")
        for text in texts {
            #expect(try rows(text).count == 3)
            #expect(try !indexes(text).contains("known"))
        }
        for condition in ["kind = $p", "kind IS 'odd'", "kind IS NULL"] {
            #expect(try indexes("SELECT number FROM _ WHERE \(condition) AND number < 5") == ["known"])
        }
    }

    @Test("an index of expressions and collations is used by the same expression under the same collation")
    func expressions() throws {
        try make("upper", ["UPPER(name.first)"])
        try make("nocase", ["name.first COLLATE NOCASE"])
        #expect(try indexes("SELECT number FROM _ WHERE UPPER(name.first) = 'ANN7'") == ["upper"])
        #expect(try indexes("SELECT number FROM _ WHERE (name.first = 'ann7' COLLATE NOCASE)") == ["nocase"])
        #expect(try indexes("SELECT number FROM _ WHERE name.first = 'Ann7'") == [])
        #expect(try rows("SELECT number FROM _ WHERE (name.first = 'ann7' COLLATE NOCASE)") == [[.integer(7)]])
    }

    @Test("CASE is in an index, and found by the same CASE")
    func conditionals() throws {
        try make(
            "case", ["CASE WHEN kind = 'odd' THEN number ELSE UPPER(city) END", "CASE city WHEN 'city 3' THEN 1 END"])
        let text =
            "SELECT number FROM _ AS d WHERE CASE WHEN d.kind = 'odd' THEN d.number ELSE UPPER(d.city) END = 'CITY 7'"
        #expect(try indexes(text) == ["case"])
        #expect(try indexes("\(text) AND CASE d.city WHEN 'city 3' THEN 1 END = NULL") == ["case"])
        #expect(try indexes("SELECT number FROM _ WHERE CASE WHEN kind = 'odd' THEN number END = 7") == [])
        let found = try rows(text)
        try test.collection.deleteIndex(forName: "case")
        #expect(!found.isEmpty)
        #expect(try rows(text) == found)
        #expect(throws: DatabaseError(.invalidQuery, "")) { try make("i", ["CASE WHEN $p THEN 1 END"]) }
        #expect(throws: DatabaseError(.invalidQuery, "")) { try make("i", ["CASE WHEN TRUE THEN META().sequence END"]) }
    }

    @Test("a query that was made before an index uses it, and runs on when it is deleted")
    func replanning() throws {
        let query = try test.database.createQuery("SELECT number FROM _ WHERE number = $n")
        query.parameters = Parameters().setInt(9, forName: "n")
        #expect(try query.execute().allResults().count == 1)
        try make("number", ["number"])
        let plan: QueryPlan = try query.explain()
        #expect(!plan.hasScan)
        #expect(try query.execute().allResults().count == 1)
        try test.collection.deleteIndex(forName: "number")
        #expect(try query.execute().allResults().count == 1)
    }

    @Test("making the same index again changes nothing, another definition replaces it, and names are per collection")
    func catalogue() throws {
        try make("i", ["number"])
        try make("i", ["number"])
        #expect(try test.collection.indexes() == ["i"])
        try make("i", ["city"])
        #expect(try test.collection.index(withName: "i")?.expressions == ["city"])
        let other = try test.database.createCollection(name: "other")
        try other.createIndex(withName: "i", config: ValueIndexConfiguration(["x"]))
        try test.collection.deleteIndex(forName: "i")
        try test.collection.deleteIndex(forName: "i")
        #expect(try test.collection.indexes().isEmpty && other.indexes() == ["i"])
        #expect(throws: DatabaseError(.cancelled, "")) {
            try test.collection.createIndex(withName: "x", config: ValueIndexConfiguration(["number"])) { _ in false }
        }
        #expect(try test.collection.indexes().isEmpty)
    }

    @Test(
        "an index refuses what doesn't depend on a document alone",
        arguments: [
            "MILLIS_TO_STR(number)", "META().sequence", "$p", "COUNT(number)", "(SELECT 1 FROM _)", "META()",
            "number +",
            "META().deleted", "_expiration",
        ])
    func refused(expression: String) throws {
        #expect(throws: DatabaseError(.invalidQuery, "")) { try make("i", [expression]) }
        #expect(throws: DatabaseError(.invalidQuery, "")) { try make("i", ["number"], where: expression) }
        #expect(throws: DatabaseError(.invalidQuery, "")) { try make("i", []) }
    }

    @Test("the versions of what orders and changes text are part of an index")
    func components() throws {
        try make("sorted", ["name.first COLLATE (UNICODE:sv NOCASE)"])
        try make("upper", ["UPPER(city)"])
        try make("number", ["number"])
        let versions = try test.collection.indexRecords().map(\.versions)
        #expect(versions == [#"{"collation":1,"keys":1}"#, #"{"keys":1,"letters":1}"#, #"{"keys":1}"#])
    }

    @Test("explain names scans, indexes and the index that would help")
    func explain() throws {
        let plan = try plan("SELECT number FROM _ AS d WHERE city = 'city 1' AND number > 5")
        #expect(plan.hasScan && plan.suggestions.map(\.expressions) == [["city", "number"]])
        #expect(plan.description.contains("read every document of d") && plan.description.contains("city, number"))
        try make("both", ["city", "number"])
        let better = try self.plan("SELECT number FROM _ AS d WHERE city = 'city 1' AND number > 5")
        #expect(!better.hasScan && better.advice.isEmpty && better.description.contains("search the index both"))
    }
}
