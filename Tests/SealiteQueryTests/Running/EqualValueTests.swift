import Testing

@testable import SealiteDatabase
@testable import SealiteQuery

@Suite("equal values, and names that aren't equal, in queries")
struct EqualValueTests {
    let test: TestDatabase

    init() throws { test = try TestDatabase() }

    private func save(_ documents: [String]) throws {
        let collection = try test.collection
        for (number, json) in documents.enumerated() {
            try collection.save(document: try MutableDocument(id: "d\(number)", json: json))
        }
    }

    private func rows(_ text: String) throws -> [String] {
        let query = try test.database.createQuery(text as String)
        return try query.execute().map { try $0.toJSON() }
    }

    @Test("DISTINCT returns numbers, arrays and objects that are equal once, as GROUP BY does")
    func distinct() throws {
        try save([
            #"{"a":[1]}"#, #"{"a":[1.0]}"#, #"{"a":{"x":1,"y":2}}"#, #"{"a":{"y":2,"x":1}}"#, #"{"a":1}"#,
            #"{"a":1e0}"#, #"{"a":"1"}"#, "{}", #"{"a":null}"#,
        ])
        let groups = try rows("SELECT a FROM _ GROUP BY a")
        #expect(groups.count == 6)
        #expect(try rows("SELECT DISTINCT a FROM _").count == groups.count)
        #expect(try rows("SELECT DISTINCT VALUE a FROM _").count == groups.count)
        #expect(try rows("SELECT COUNT(*) AS n FROM (SELECT DISTINCT a FROM _) AS s") == [#"{"n":6}"#])
        #expect(try rows("SELECT DISTINCT a FROM _ WHERE ISARRAY(a) ORDER BY a") == [#"{"a":[1]}"#])
    }

    @Test("a recursive table with UNION ends where it finds nothing new")
    func recursion() throws {
        let counting =
            "WITH RECURSIVE t AS (SELECT 1 AS v UNION SELECT t.v + 1 AS v FROM t WHERE t.v < 3) SELECT v FROM t"
        #expect(try rows(counting) == [#"{"v":1}"#, #"{"v":2}"#, #"{"v":3}"#])
        let cycle = "WITH RECURSIVE t AS (SELECT 1 AS v UNION SELECT t.v % 3 + 1 AS v FROM t) SELECT v FROM t"
        #expect(try rows(cycle).count == 3)
    }

    @Test("members whose names differ in normalization only are told apart")
    func normalization() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        try save([#"{"\#(decomposed)":5}"#, #"{"\#(composed)":5}"#, #"{"\#(composed)":1,"\#(decomposed)":2}"#])
        let text = "SELECT META().id AS id, `\(composed)` AS a, `\(decomposed)` AS b FROM _ ORDER BY META().id"
        let expected = [#"{"b":5,"id":"d0"}"#, #"{"a":5,"id":"d1"}"#, #"{"a":1,"b":2,"id":"d2"}"#]
        func members(_ row: String) -> Set<Substring> { Set(row.dropFirst().dropLast().split(separator: ",")) }
        #expect(try rows(text).map(members) == expected.map(members))
        #expect(
            try rows("SELECT SUM(`\(composed)`) AS a, SUM(`\(decomposed)`) AS b FROM _").map(members) == [
                [#""a":6"#, #""b":7"#]
            ])
        let search = "SELECT META().id AS id FROM _ WHERE `\(decomposed)` = 5"
        #expect(try rows(search) == [#"{"id":"d0"}"#])
        try test.collection.createIndex(withName: "composed", config: ValueIndexConfiguration(["`\(composed)`"]))
        #expect(try rows(search) == [#"{"id":"d0"}"#])
        #expect(try !test.database.createQuery(search as String).explain().description.contains("composed"))
    }
}
