import SealiteDatabase
import Testing

@testable import SealiteQuery

/// The forms that SQL++ for Mobile lacks, and their results.
@Suite("forms beyond Couchbase Lite's")
struct ExtensionTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.save(
            json: """
                {"a": {"k": "x", "n": 1, "l": [1, 2, 3, 4], "o": {"p": 1, "q": [5]}},
                 "b": {"k": "x", "n": 2, "l": [2]}, "c": {"k": "y", "n": 2, "l": []}, "d": {"k": "y", "n": null},
                 "e": {"k": "z"}}
                """)
    }

    @Test(
        "each form gives what it says",
        arguments: [
            ("SELECT COUNT(DISTINCT n), SUM(DISTINCT n), COUNT(n) FILTER (WHERE k = 'x') FROM _", "2,3,2"),
            ("SELECT RAW n FROM _ ORDER BY n DESC NULLS LAST, META().id LIMIT 3", "2 2 1"),
            ("SELECT RAW META().id FROM _ ORDER BY n NULLS LAST, META().id", "a b c e d"),
            ("SELECT META().id FROM _ AS o WHERE n = (SELECT MAX(i.n) FROM _ AS i WHERE i.k = o.k) ORDER BY id", "b c"),
            ("SELECT META().id FROM _ WHERE n IN (SELECT i.n FROM _ AS i WHERE i.k = 'y') ORDER BY id", "b c d"),
            (
                "SELECT META().id FROM _ AS o WHERE NOT EXISTS (SELECT 1 FROM _ AS i WHERE i.n > o.n) AND n IS VALUED",
                "b c"
            ),
            ("SELECT t.s FROM (SELECT k, SUM(n) AS s FROM _ GROUP BY k) AS t WHERE t.k = 'x'", "3"),
            ("WITH t AS (SELECT k, COUNT(*) AS c FROM _ GROUP BY k) SELECT RAW c FROM t ORDER BY k", "2 2 1"),
            (
                """
                WITH RECURSIVE r AS (SELECT 1 AS i FROM _ WHERE META().id = 'a' UNION ALL SELECT r.i + 1 FROM r WHERE r.i < 4)
                SELECT RAW i FROM r
                """, "1 2 3 4"
            ),
            ("SELECT k FROM _ UNION SELECT 'w' FROM _ ORDER BY k", "w x y z"),
            ("SELECT k FROM _ UNION ALL SELECT k FROM _ WHERE n = 1 ORDER BY k", "x x x y y z"),
            ("SELECT k FROM _ INTERSECT SELECT k FROM _ WHERE n = 2 ORDER BY 1", "x y"),
            ("SELECT k FROM _ EXCEPT SELECT k FROM _ WHERE n = 2", "z"),
            ("SELECT k FROM _ EXCEPT ALL SELECT k FROM _ WHERE n = 2 ORDER BY k", "x y z"),
            ("SELECT k FROM _ INTERSECT ALL SELECT k FROM _ ORDER BY k", "x x y y z"),
            ("SELECT RAW d FROM _ LET d = n * 10, e = d + 1 WHERE e > 11 ORDER BY META().id", "20 20"),
            ("SELECT l[1:3], l[-2:], l[:1] FROM _ WHERE META().id = 'a'", "[2,3],[3,4],[1]"),
            ("SELECT ARRAY v * 2 FOR v IN l WHEN v > 1 END FROM _ WHERE META().id = 'a'", "[4,6,8]"),
            ("SELECT {'a': n, 'b': {'c': [k]}, 'd': missing_one} FROM _ WHERE n = 1", #"{"a":1,"b":{"c":["x"]}}"#),
            ("SELECT RAW ROW_NUMBER() OVER (PARTITION BY k ORDER BY META().id) FROM _ ORDER BY META().id", "1 2 1 2 1"),
            ("SELECT RAW SUM(n) OVER (ORDER BY META().id ROWS 1 PRECEDING) FROM _ WHERE n IS VALUED", "1 3 4"),
            ("SELECT RAW LAG(n, 1, 0) OVER (ORDER BY META().id) FROM _ WHERE n IS VALUED", "0 1 2"),
            ("SELECT META().id FROM _ WHERE 2 IN l /* a comment */ ORDER BY id -- another", "a b"),
            ("SELECT o.q[0], o.* FROM _ WHERE n = 1", #"5,{"p":1,"q":[5]}"#),
        ])
    func forms(text: String, wanted: String) throws {
        let results = try test.database.createQuery(text as String).execute()
        var rows: [String] = []
        while let row = try results.nextResult() {
            rows.append(try row.values.map { try ResultText.json(of: $0) }.joined(separator: ","))
        }
        #expect(rows.joined(separator: " ").filter { $0 != "\"" || wanted.contains("\"") } == wanted)
    }
}
