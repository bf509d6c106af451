import Foundation
import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("array indexes in plans")
struct ArrayIndexTests {
    let stage: ArrayIndexStage

    init() throws { stage = try ArrayIndexStage() }

    @Test(
        "an index over elements is used for what it can find, and gives the rows of a scan",
        arguments: [
            ("SELECT META(d).id, t FROM _ AS d UNNEST d.tags AS t WHERE t = 't1'", ["tags"]),
            ("SELECT META(d).id, t FROM _ AS d LEFT UNNEST d.tags AS t WHERE t = 't1'", ["tags"]),
            ("SELECT COUNT(1) FROM _ AS d LEFT UNNEST d.tags AS t WHERE t > 't4'", ["tags"]),
            ("SELECT META(d).id, t FROM _ AS d LEFT UNNEST d.tags AS t", []),
            ("SELECT COUNT(1) FROM _ AS d LEFT UNNEST d.tags AS t", []),
            ("SELECT META(d).id, t FROM _ AS d LEFT UNNEST d.tags AS t WHERE t IS MISSING", []),
            ("SELECT META(d).id, t FROM _ AS d LEFT UNNEST d.tags AS t WHERE t IS $none", []),
            ("SELECT META(d).id, t FROM _ AS d LEFT UNNEST d.tags AS t WHERE IFMISSING(t, 't1') = 't1'", []),
            ("SELECT META(d).id, c.type FROM _ AS d LEFT UNNEST d.contacts AS c WHERE c.type IS VALUED", ["types"]),
            (
                "SELECT COUNT(1) FROM _ AS d LEFT UNNEST d.contacts AS c LEFT UNNEST c.phones AS p WHERE p.kind = 'home'",
                ["phones"]
            ),
            (
                "SELECT COUNT(1) FROM _ AS d UNNEST d.contacts AS c LEFT UNNEST c.phones AS p WHERE p.kind IS MISSING",
                []
            ),
            (
                "SELECT COUNT(1) FROM _ AS d LEFT UNNEST d.contacts AS c UNNEST c.phones AS p WHERE p.kind IS MISSING",
                ["phones"]
            ),
            ("SELECT a.n, t FROM _ AS a RIGHT JOIN _ AS b ON b.n = a.n + 50 UNNEST a.tags AS t WHERE t = 't1'", []),
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
        let before = try stage.rows(text)
        #expect(try stage.indexes(text) == [])
        try stage.make("tags", "tags")
        try stage.make("types", "contacts", ["type"])
        try stage.make("phones", "contacts[].phones", ["kind", "n"])
        let plan = try stage.plan(text)
        #expect(try stage.indexes(text) == used, "\(plan.sql)")
        #expect(try stage.rows(text) == before, "\(plan.sql)")
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
        let before = try stage.rows(text)
        try stage.make("tags", "tags")
        #expect(try stage.plan(text).sql.contains("documents_") == !isKeysOnly)
        #expect(try stage.rows(text) == before)
    }

    @Test("values that agree in the part that a key has are told apart")
    func longValues() throws {
        let long = String(repeating: "x", count: 2000)
        try stage.test.save(json: #"{"l1": {"tags": ["\#(long)b", "\#(long)a"]}, "l2": {"tags": ["\#(long)c"]}}"#)
        try stage.make("tags", "tags")
        for text in [
            "SELECT META().id FROM _ WHERE '\(long)a' IN tags",
            "SELECT META(d).id FROM _ AS d UNNEST d.tags AS t WHERE t = '\(long)a'",
            "SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES t < '\(long)b' AND t > '\(long)' END",
        ] {
            #expect(try stage.rows(text) == ["\([QueryValue.text("l1")])"], "\(text)")
            #expect(try stage.indexes(text) == ["tags"], "\(text)")
        }
        // Four more are arrays and objects.
        let count = try stage.rows("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t > '\(long)a'")
        #expect(count == ["\([QueryValue.integer(6)])"])
    }

    @Test("expressions and collations of an index are used by the same expression under the same collation")
    func expressions() throws {
        try stage.make("upper", "contacts", ["UPPER(type)"])
        try stage.make("nocase", "contacts", ["type COLLATE NOCASE"])
        #expect(
            try stage.indexes("SELECT n FROM _ WHERE ANY c IN contacts SATISFIES UPPER(c.type) = 'A1' END") == ["upper"]
        )
        #expect(
            try stage.indexes("SELECT n FROM _ WHERE ANY c IN contacts SATISFIES (c.type = 'A1') COLLATE NOCASE END")
                == [
                    "nocase"
                ])
        #expect(try stage.indexes("SELECT d.n FROM _ AS d UNNEST d.contacts AS c WHERE c.type = 'a1'") == [])
        let text = "SELECT n FROM _ WHERE ANY c IN contacts SATISFIES (c.type = 'A1') COLLATE NOCASE END"
        let found = try stage.rows(text)
        try stage.test.collection.deleteIndex(forName: "nocase")
        #expect(found.count == 16)
        #expect(try stage.rows(text) == found)
    }

    @Test("the plan names the index that would help, by its path")
    func suggestions() throws {
        func suggested(_ text: String) throws -> [String] { try stage.plan(text).advice }
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
        try stage.make("tags", "tags")
        let plan = try stage.plan("SELECT n FROM _ WHERE 't1' IN tags")
        #expect(plan.advice.isEmpty && !plan.hasScan && plan.description.contains("search the index tags"))
    }
}
