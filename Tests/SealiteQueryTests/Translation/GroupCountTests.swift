import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("groups that are counted in bounded memory")
struct GroupCountTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.database.write { transaction in
            for number in 1...9000 {
                let document = MutableDocument(id: "d\(number)")
                document.setInt(number, forKey: "number").setInt(number % 7, forKey: "few")
                document.setInt(number / 2, forKey: "pairs").setInt(9000 - number, forKey: "falling")
                // 1 and 1.0 are one group, and what is missing is none with NULL.
                switch number % 5 {
                case 0: document.setInt(1, forKey: "mixed")
                case 1: document.setDouble(1.0, forKey: "mixed")
                case 2: document.setValue(.null, forKey: "mixed")
                case 3: document.setString(String(repeating: "ü", count: number % 400), forKey: "mixed")
                default: break
                }
                try transaction.save(document, in: try test.collection)
            }
        }
    }

    /// The groups of an expression as SQLite sorts them, which it does where there is an aggregate besides `COUNT(*)`, and as they are counted.
    private func groups(_ key: String, _ condition: String = "") throws -> (sorted: [String], counted: [String]) {
        func rows(_ aggregates: String) throws -> [String] {
            let query = try test.database.createQuery(
                "SELECT \(key) AS k, \(aggregates) FROM _ \(condition) GROUP BY \(key)" as String)
            return try query.execute().allResults().map { "\($0.values.prefix(2))" }
        }
        return (try rows("COUNT(*), MAX(number)").sorted(), try rows("COUNT(*)").sorted())
    }

    @Test(
        "counted groups are those that SQLite sorts",
        arguments: ["few", "number", "pairs", "falling", "mixed", "number % 1000", "UPPER(mixed)", "[few, mixed]"])
    func sameGroups(_ key: String) throws {
        let found = try groups(key)
        let differ = zip(found.sorted, found.counted).filter { $0 != $1 }.count
        #expect(found.sorted.count == found.counted.count && differ <= (key.contains("mixed") ? 2 : 0))
        let filtered = try groups(key, "WHERE few > 2 AND number < 8000")
        #expect(filtered.sorted.count == filtered.counted.count)
    }

    @Test("documents that come by an index, in no order of their numbers, have the same groups")
    func otherOrder() throws {
        try test.collection.createIndex(withName: "falling", config: ValueIndexConfiguration(["falling"]))
        let query = try test.database.createQuery(
            "SELECT pairs, COUNT(*) AS n FROM _ WHERE falling >= 0 GROUP BY pairs" as String)
        #expect(try (query.explain() as QueryPlan).description.contains("index falling"))
        let counts = try query.execute().allResults().map { $0.int(at: 1) }
        #expect(counts.count == 4501 && counts.reduce(0, +) == 9000)
    }

    @Test("no group is made of no documents, and a group may be looked at by HAVING and ORDER BY")
    func clauses() throws {
        #expect(
            try test.database.createQuery("SELECT few FROM _ WHERE number < 0 GROUP BY few").execute().allResults()
                .isEmpty)
        let query = try test.database.createQuery(
            "SELECT few, COUNT(*) AS n FROM _ GROUP BY few HAVING COUNT(*) > 1285 ORDER BY n DESC, few DESC")
        #expect(try query.execute().allResults().map { $0.int(at: 0) } == [5, 4, 3, 2, 1])
    }

    @Test("the function gives groups, and the greatest number that it counted")
    func function() throws {
        func result(_ rows: String) throws -> String {
            var text = ""
            try test.database.readRows(
                "WITH r(n, v) AS (VALUES \(rows)) SELECT body_value(query_groups(n, v)) FROM r", isKept: false
            ) { text = $0.text(at: 0) }
            return text
        }
        #expect(try result("(1, 'a'), (2, 'b'), (5, 'a')") == #"[9223372036854775807,[[2,["a"]],[1,["b"]]]]"#)
        #expect(
            try result("(1, NULL), (2, x'00'), (3, 7), (4, 7.5)")
                == "[9223372036854775807,[[1,[]],[1,[null]],[1,[7]],[1,[7.5]]]]")
        var texts: [String] = []
        for order in ["i", "-i"] {
            try test.database.readRows(
                """
                WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 6000)
                SELECT query_value(query_groups(\(order), i), 0), json_array_length(body_value(query_groups(\(order), i)), '$[1]')
                FROM r
                """, isKept: false
            ) { texts.append("\($0.int64(at: 0)) \($0.int64(at: 1))") }
        }
        #expect(texts == ["4096 4096", "\(Int64.min) 0"])
    }
}
