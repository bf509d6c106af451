import Foundation
import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("array indexes in plans")
struct ArrayIndexTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.database.write { transaction in
            for number in 0..<60 {
                let body = try DictionaryObject(
                    json: """
                        {"n": \(number), "tags": ["t\(number % 7)", "t\(number % 5)", \(number % 3), null, true, 2.5],
                         "contacts": [{"type": "a\(number % 4)", "phones": [{"kind": "home", "n": \(number)}, {"kind": "k\(number % 6)"}]},
                                      {"type": "b", "phones": []}, {"type": "c"}, \(number % 2 == 0 ? "7" : "{\"phones\": \"t1\"}")]}
                        """)
                try transaction.save(MutableDocument(id: "d\(number)", data: body), in: try test.collection)
            }
        }
        try test.save(
            json: #"""
                {"scalar": {"tags": "t1", "contacts": "t1"}, "object": {"tags": {"x": "t1", "y": ["t2"]}, "contacts": {"p": {"type": "a1"}}},
                 "null": {"tags": null}, "none": {}, "empty": {"tags": [], "contacts": []}, "nested": {"tags": [["t1"], {"a": "t1"}, []]},
                 "gone": {"tags": ["t1"]}}
                """#)
        try test.collection.delete(id: "gone")
    }

    private func make(_ name: String, _ path: String, _ expressions: [String]? = nil) throws {
        try test.collection.createIndex(
            withName: name, config: ArrayIndexConfiguration(path: path, expressions: expressions))
    }

    private func plan(_ text: String) throws -> QueryPlan { try test.database.createQuery(text as String).explain() }

    private func indexes(_ text: String) throws -> [String] {
        func names(_ steps: [QueryPlan.Step]) -> [String] {
            steps.flatMap { [$0.index].compactMap { $0 } + names($0.steps) }
        }
        return names(try plan(text).steps)
    }

    private func rows(_ text: String) throws -> [String] {
        try test.database.createQuery(text as String).execute().map { "\($0.values)" }.sorted()
    }

    @Test(
        "an index over elements is used for what it can find, and gives the rows of a scan",
        arguments: [
            ("SELECT META(d).id, t FROM _ AS d UNNEST d.tags AS t WHERE t = 't1'", ["tags"]),
            ("SELECT META(d).id, t FROM _ AS d UNNEST d.tags AS t WHERE t > 't4' AND d.n < 30", ["tags"]),
            ("SELECT META(d).id, t FROM _ AS d UNNEST d.tags AS t WHERE t IN ('t1', 2, 2.5)", ["tags"]),
            ("SELECT META(d).id, t FROM _ AS d UNNEST d.tags AS t WHERE t = NULL", ["tags"]),
            ("SELECT META(d).id, t FROM _ AS d UNNEST d.tags AS t WHERE t = ['t1']", ["tags"]),
            ("SELECT META(d).id, t FROM _ AS d UNNEST d.tags AS t WHERE t = TRUE OR t = 't1'", []),
            ("SELECT META(d).id, t FROM _ AS d UNNEST d.tags AS t WHERE t = d.n", []),
            ("SELECT t, COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t BETWEEN 't2' AND 't4' GROUP BY t", ["tags"]),
            ("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t", ["tags"]),
            ("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t != 't1'", []),
            ("SELECT t FROM _ AS d UNNEST d.tags AS t WHERE t[0] = 't1'", []),
            (
                "SELECT META(d).id, p.n FROM _ AS d UNNEST d.contacts AS c UNNEST c.phones AS p WHERE p.kind = 'k3'",
                ["phones"]
            ),
            (
                "SELECT META(d).id, c.type FROM _ AS d UNNEST d.contacts AS c UNNEST c.phones AS p WHERE c.type = 'a1'",
                ["types"]
            ),
            (
                "SELECT COUNT(1) FROM _ AS d UNNEST d.contacts AS c UNNEST c.phones AS p WHERE p.kind = 'home' AND p.n >= 30",
                ["phones"]
            ),
            (
                "SELECT COUNT(1) FROM _ AS d UNNEST d.contacts AS c UNNEST c.phones AS p WHERE p.kind IS MISSING",
                ["phones"]
            ),
            ("SELECT COUNT(1) FROM _ AS d UNNEST d.contacts AS c WHERE c.type IS VALUED", ["types"]),
            ("SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES t = 't1' END", ["tags"]),
            ("SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES 't1' = t AND t IS VALUED END", ["tags"]),
            ("SELECT META().id FROM _ WHERE SOME t IN tags SATISFIES t >= 't4' AND t < 't6' END", ["tags"]),
            ("SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES t = 't1' END AND n > 30", ["tags"]),
            ("SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES t = 't1' OR t = 't2' END", []),
            ("SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES t = n END", []),
            ("SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES t = 't1' AND n = 1 END", ["tags"]),
            ("SELECT META().id FROM _ WHERE NOT (ANY t IN tags SATISFIES t = 't1' END)", []),
            ("SELECT META().id FROM _ WHERE EVERY t IN tags SATISFIES t = 't1' END", []),
            ("SELECT META().id FROM _ WHERE ANY AND EVERY t IN tags SATISFIES t = 't1' END", []),
            ("SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES t = 't1' END OR n = 2", []),
            ("SELECT META().id FROM _ WHERE ANY c IN contacts SATISFIES c.type = 'a2' END", ["types"]),
            (
                "SELECT META().id FROM _ WHERE ANY c IN contacts SATISFIES ANY p IN c.phones SATISFIES p.kind = 'k2' END END",
                ["phones"]
            ),
            (
                "SELECT META().id FROM _ WHERE ANY c IN contacts SATISFIES c.n = 1 AND (ANY p IN c.phones SATISFIES p.kind = c.type END) END",
                []
            ),
            (
                "SELECT META().id FROM _ WHERE ANY c IN contacts SATISFIES ANY c IN c.phones SATISFIES c.kind = 'k2' END END",
                ["phones"]
            ),
            ("SELECT META().id FROM _ WHERE 't1' IN tags", ["tags"]),
            ("SELECT META().id FROM _ WHERE 't1' NOT IN tags", []),
            ("SELECT META().id FROM _ WHERE ARRAY_CONTAINS(tags, 't3')", ["tags"]),
            ("SELECT META().id FROM _ WHERE ARRAY_CONTAINS(tags, NULL)", ["tags"]),
            ("SELECT META().id FROM _ WHERE MISSING IN tags", ["tags"]),
            ("SELECT META().id FROM _ AS d LET list = d.tags WHERE 't1' IN list", ["tags"]),
            ("SELECT COUNT(*) FROM _ WHERE 't1' IN tags", ["tags"]),
            ("SELECT COUNT(*), n % 2 FROM _ WHERE 't1' IN tags GROUP BY n % 2", ["tags"]),
            ("SELECT n FROM _ WHERE 't1' IN tags ORDER BY n DESC", ["tags"]),
            ("SELECT a.n, b.n FROM _ AS a JOIN _ AS b ON ARRAY_CONTAINS(b.tags, a.tags[0]) WHERE a.n < 3", ["tags"]),
            (
                "SELECT a.n, b.n FROM _ AS a LEFT JOIN _ AS b ON a.tags[0] IN b.tags AND b.n > 50 WHERE a.n < 3",
                ["tags"]
            ),
            ("SELECT a.n, t FROM _ AS a LEFT JOIN _ AS b ON b.n = a.n + 50 UNNEST b.tags AS t WHERE t = 't1'", []),
            (
                "SELECT n FROM _ AS a WHERE EXISTS (SELECT 1 FROM _ AS b UNNEST b.tags AS t WHERE t = a.tags[1] AND b.n = 3)",
                ["tags"]
            ),
            ("SELECT META().id FROM _ WHERE META().deleted AND 't1' IN tags", []),
            ("SELECT META().id FROM _ WHERE (ANY t IN tags SATISFIES t = 'T1' END) COLLATE NOCASE", []),
        ])
    func use(text: String, used: [String]) throws {
        let before = try rows(text)
        #expect(try indexes(text) == [])
        try make("tags", "tags")
        try make("types", "contacts", ["type"])
        try make("phones", "contacts[].phones", ["kind", "n"])
        let plan = try plan(text)
        #expect(try indexes(text) == used, "\(plan.sql)")
        #expect(try rows(text) == before, "\(plan.sql)")
    }

    @Test(
        "counts of elements and tests of their existence read no document",
        arguments: [
            ("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t = 't1'", true),
            ("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t = 't1' AND t > 't0'", false),
            ("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t > 't1'", true),
            ("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t", true),
            ("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t = 't1' AND d.n > 1", false),
            ("SELECT COUNT(*) FROM _ WHERE ANY t IN tags SATISFIES t = 't1' END", true),
            ("SELECT COUNT(*) FROM _ WHERE ANY t IN tags SATISFIES t > 't1' END", true),
            ("SELECT COUNT(*) FROM _ WHERE ANY t IN tags SATISFIES t BETWEEN 't1' AND 't3' END", true),
            ("SELECT COUNT(*) FROM _ WHERE ANY t IN tags SATISFIES t >= 't1' AND 't3' > t END", true),
            ("SELECT COUNT(*) FROM _ WHERE ANY t IN tags SATISFIES t = 't1' AND t IS VALUED END", false),
            ("SELECT COUNT(*) FROM _ WHERE ANY t IN tags SATISFIES t = 't1' AND t.x IS MISSING END", false),
            ("SELECT COUNT(*) FROM _ WHERE ANY t IN tags SATISFIES t = NULL END", false),
            ("SELECT COUNT(*) FROM _ WHERE ANY t IN tags SATISFIES t = 't1' END AND n > 1", false),
            ("SELECT COUNT(n) FROM _ WHERE ANY t IN tags SATISFIES t = 't1' END", false),
            ("SELECT COUNT(*) FROM _ WHERE 't1' IN tags", true),
            ("SELECT COUNT(*) FROM _ WHERE ARRAY_CONTAINS(tags, 't1')", false),
            ("SELECT 5 FROM _ WHERE 't1' IN tags", true),
            ("SELECT COUNT(t) FROM _ AS d UNNEST d.tags AS t WHERE t = 't1'", false),
            ("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t UNNEST t.x AS u WHERE t = 't1'", false),
        ])
    func keysOnly(text: String, isKeysOnly: Bool) throws {
        let before = try rows(text)
        try make("tags", "tags")
        #expect(try plan(text).sql.contains("documents_") == !isKeysOnly)
        #expect(try rows(text) == before)
    }

    @Test("values that agree in the part that a key has are told apart")
    func longValues() throws {
        let long = String(repeating: "x", count: 2000)
        try test.save(json: #"{"l1": {"tags": ["\#(long)b", "\#(long)a"]}, "l2": {"tags": ["\#(long)c"]}}"#)
        try make("tags", "tags")
        for text in [
            "SELECT META().id FROM _ WHERE '\(long)a' IN tags",
            "SELECT META(d).id FROM _ AS d UNNEST d.tags AS t WHERE t = '\(long)a'",
            "SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES t < '\(long)b' AND t > '\(long)' END",
        ] {
            #expect(try rows(text) == ["\([QueryValue.text("l1")])"], "\(text)")
            #expect(try indexes(text) == ["tags"], "\(text)")
        }
        // Four more are arrays and objects.
        let count = try rows("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t > '\(long)a'")
        #expect(count == ["\([QueryValue.integer(6)])"])
    }

    @Test("expressions and collations of an index are used by the same expression under the same collation")
    func expressions() throws {
        try make("upper", "contacts", ["UPPER(type)"])
        try make("nocase", "contacts", ["type COLLATE NOCASE"])
        #expect(try indexes("SELECT n FROM _ WHERE ANY c IN contacts SATISFIES UPPER(c.type) = 'A1' END") == ["upper"])
        #expect(
            try indexes("SELECT n FROM _ WHERE ANY c IN contacts SATISFIES (c.type = 'A1') COLLATE NOCASE END") == [
                "nocase"
            ])
        #expect(try indexes("SELECT d.n FROM _ AS d UNNEST d.contacts AS c WHERE c.type = 'a1'") == [])
        let text = "SELECT n FROM _ WHERE ANY c IN contacts SATISFIES (c.type = 'A1') COLLATE NOCASE END"
        let found = try rows(text)
        try test.collection.deleteIndex(forName: "nocase")
        #expect(found.count == 16)
        #expect(try rows(text) == found)
    }

    @Test("the plan names the index that would help, by its path")
    func suggestions() throws {
        func suggested(_ text: String) throws -> [String] { try self.plan(text).advice }
        #expect(
            try suggested("SELECT n FROM _ WHERE ANY c IN contacts SATISFIES c.n > 1 AND c.`my type` = 'a' END") == [
                "an index over `my type`, n of the elements of contacts of _default._default would help"
            ])
        #expect(
            try suggested("SELECT d.n FROM _ AS d UNNEST d.contacts AS c UNNEST c.phones AS p WHERE p = 1") == [
                "an index over the elements of contacts[].phones of _default._default would help"
            ])
        #expect(
            try suggested("SELECT n FROM _ WHERE 1 IN a.b") == [
                "an index over the elements of a.b of _default._default would help"
            ])
        #expect(try suggested("SELECT n FROM _ WHERE ANY t IN tags SATISFIES UPPER(t) = 'A' END") == [])
        #expect(try suggested("SELECT n FROM _ WHERE EVERY t IN tags SATISFIES t = 'A' END") == [])
        try make("tags", "tags")
        let plan = try self.plan("SELECT n FROM _ WHERE 't1' IN tags")
        #expect(plan.advice.isEmpty && !plan.hasScan && plan.description.contains("search the index tags"))
    }

    @Test(
        "an index is found by its name with its path, the same one again changes nothing, and another kind replaces it")
    func catalogue() throws {
        try make("i", "contacts[] . phones", ["kind", "UPPER( n )"])
        let index = try #require(try test.collection.index(withName: "i"))
        #expect(index.path == "contacts[].phones" && index.expressions == ["kind", "UPPER(n)"] && index.where == nil)
        let number = try test.collection.indexRecords().map(\.number)
        try make("i", "contacts[].phones", ["kind", "UPPER(n)"])
        #expect(try test.collection.indexRecords().map(\.number) == number)
        try make("i", "tags")
        #expect(try test.collection.index(withName: "i")?.expressions == [])
        #expect(try test.collection.indexes() == ["i"])
        try test.collection.createIndex(withName: "i", config: ValueIndexConfiguration(["n"]))
        #expect(try test.collection.index(withName: "i")?.path == nil)
        try test.collection.deleteIndex(forName: "i")
        #expect(try test.collection.indexes().isEmpty)
        #expect(throws: DatabaseError(.cancelled, "")) {
            try test.collection.createIndex(withName: "i", config: ArrayIndexConfiguration(path: "tags")) { _ in false }
        }
    }

    @Test(
        "a path or an expression that an index can't have is refused",
        arguments: [
            ("", nil), ("[]", nil), ("a[]", nil), ("a[].", nil), ("a[][].b", nil), (".a", nil), ("a[-1]", nil),
            ("a[1:2]", nil),
            ("a b", nil), ("a + b", nil), ("a[0", nil), ("a", []), ("a", [""]), ("a", ["b", ""]), ("a", ["META().id"]),
            ("a", ["$p"]), ("a", ["COUNT(b)"]), ("a", ["MILLIS_TO_STR(b)"]), ("a", ["b +"]), ("a", ["(SELECT 1)"]),
            (Array(repeating: "a", count: 17).joined(separator: "[]."), nil),
            ("a", Array(repeating: "b", count: 33)),
        ] as [(String, [String]?)])
    func refused(path: String, expressions: [String]?) throws {
        let error = #expect(throws: DatabaseError.self) { try make("i", path, expressions) }
        #expect(error?.code == .invalidQuery)
        #expect(try test.collection.indexes().isEmpty)
    }

    @Test("steps with indexes, quoted names and properties that look like META are paths of arrays")
    func paths() throws {
        try test.save(json: #"{"x": {"my list": [[1, 2], [3]], "o": {"l": [{"_id": 5, "a": {"b": [6]}}]}}}"#)
        try make("quoted", "`my list`[1]")
        try make("inner", "o.l[].a.b")
        try make("id", "o.l", ["_id"])
        for (text, name) in [
            ("SELECT META().id FROM _ WHERE 3 IN `my list`[1]", "quoted"),
            ("SELECT META(d).id FROM _ AS d UNNEST d.o.l AS e UNNEST e.a.b AS f WHERE f = 6", "inner"),
            ("SELECT META(d).id FROM _ AS d UNNEST d.o.l AS e WHERE e._id = 5", "id"),
            ("SELECT META().id FROM _ WHERE ANY e IN o.l SATISFIES e._id = 5 END", "id"),
        ] {
            #expect(try indexes(text) == [name], "\(text)")
            #expect(try rows(text) == ["\([QueryValue.text("x")])"], "\(text)")
        }
    }

    @Test("a query that was made before an index uses it, and runs on when it is deleted")
    func replanning() throws {
        let query = try test.database.createQuery("SELECT n FROM _ WHERE $t IN tags")
        query.parameters = Parameters().setString("t6", forName: "t")
        let before = try query.execute().allResults().count
        try make("tags", "tags")
        let plan: QueryPlan = try query.explain()
        #expect(!plan.hasScan)
        #expect(try query.execute().allResults().count == before)
        try test.collection.deleteIndex(forName: "tags")
        #expect(try query.execute().allResults().count == before)
    }

    @Test("documents are changed and deleted through the index that finds them")
    func changes() throws {
        try make("tags", "tags")
        _ = try test.database.createQuery("UPDATE _ SET tags = ['new'] WHERE 't6' IN tags").execute()
        #expect(try rows("SELECT COUNT(*) FROM _ WHERE 't6' IN tags") == ["\([QueryValue.integer(0)])"])
        #expect(
            try rows("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t = 'new'") == ["\([QueryValue.integer(8)])"]
        )
        _ = try test.database.createQuery("DELETE FROM _ WHERE ANY t IN tags SATISFIES t = 'new' END").execute()
        #expect(
            try rows("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t = 'new'") == ["\([QueryValue.integer(0)])"]
        )
    }
}
