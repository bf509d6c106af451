import SealiteDatabase
import Testing

@testable import SealiteQuery

/// The forms that users of Couchbase Server know, and their results.
@Suite("forms of Couchbase Server")
struct ServerFormTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.save(
            json: """
                {"a": {"n": 1, "l": [1, 2, 3], "o": {"x": 1}, "at": "2020-01-31", "e": [{"k": "x", "v": 1}, {"k": "y"}, 5]},
                 "b": {"n": 2, "l": [], "o": null, "e": {"k": "z"}}, "c": {"n": 3, "m": 1}, "gone": {"n": 4}}
                """)
        try test.collection.delete(id: "gone")
    }

    private func rows(_ text: String) throws -> String {
        let results = try test.database.createQuery(text as String).execute()
        var rows: [String] = []
        while let row = try results.nextResult() {
            rows.append(
                try row.values.map { $0 == .missing ? "-" : try ResultText.json(of: $0) }.joined(separator: ","))
        }
        return rows.joined(separator: " ")
    }

    @Test(
        "a SELECT without FROM has one row",
        arguments: [
            ("SELECT 1 + 1, 'a' AS b, MISSING", #"2,"a",-"#), ("SELECT VALUE [1, 2][*]", "{}"),
            ("SELECT 1 AS x WHERE FALSE", ""), ("SELECT VALUE x LET x = 2 WHERE x > 1", "2"),
            ("SELECT COUNT(*), SUM(3)", "1,3"), ("SELECT DISTINCT 1 ORDER BY 1 LIMIT 1", "1"),
            ("SELECT VALUE 1 UNION ALL SELECT VALUE 2 UNION SELECT 2", "1 2"),
            ("SELECT q.x FROM (SELECT 1 AS x UNION ALL SELECT 2) AS q ORDER BY q.x", "1 2"),
            ("SELECT VALUE (SELECT VALUE MAX(n) FROM _)", "3"), ("SELECT VALUE $p IS MISSING", "true"),
            ("INSERT INTO _ (KEY k, VALUE {'n': 9}) SELECT 'new' AS k RETURNING n, META().id", #"9,"new""#),
        ])
    func withoutFrom(text: String, wanted: String) throws {
        #expect(try rows(text) == wanted)
        let plan: QueryPlan = try test.database.createQuery(text as String).explain()
        #expect(!plan.hasScan || text.contains("FROM"))
    }

    @Test("the plan of a SELECT without FROM says that no document is read")
    func planWithoutFrom() throws {
        let plan: QueryPlan = try test.database.createQuery("SELECT 1").explain(measuring: true)
        #expect(plan.steps.map(\.detail) == ["make one row, without reading documents"])
        #expect(plan.measurement?.rowCount == 1)
    }

    @Test(
        "RIGHT JOIN keeps the rows of its right side, and LEFT UNNEST those without elements",
        arguments: [
            ("SELECT a.n, b.n FROM _ a RIGHT JOIN _ b ON a.n = b.n + 1 ORDER BY b.n", "2,1 3,2 -,3"),
            ("SELECT a.n, b.n FROM _ b RIGHT OUTER JOIN _ a ON a.n = b.n + 1 ORDER BY a.n", "1,- 2,1 3,2"),
            ("SELECT a.n, b.n FROM _ a RIGHT JOIN _ b ON a.n = b.n + 1 WHERE a.n IS MISSING", "-,3"),
            (
                "SELECT META().id, META(b).id FROM _ a RIGHT JOIN _ b ON a.n = b.n + 1 AND b.n < 2 ORDER BY b.n",
                #""b","a" -,"b" -,"c""#
            ),
            (
                "SELECT a.n, b.n, c.n FROM _ a RIGHT JOIN _ b ON a.n = b.n + 1 LEFT JOIN _ c ON c.n = a.n + 1 JOIN _ d ON d.n = b.n ORDER BY b.n",
                "2,1,3 3,2,- -,3,-"
            ),
            ("SELECT q.x, b.n FROM (SELECT 2 AS x) AS q RIGHT JOIN _ b ON q.x = b.n ORDER BY b.n", "-,1 2,2 -,3"),
            ("SELECT a.n, b.x FROM _ a RIGHT JOIN (SELECT 7 AS x) AS b ON a.n = b.x", "-,7"),
            (
                "SELECT b.n, v FROM _ a RIGHT JOIN _ b ON a.n = b.n + 2 LEFT UNNEST b.l AS v WHERE b.n < 3 ORDER BY b.n, v",
                "1,1 1,2 1,3 2,-"
            ),
            ("SELECT d.n, v FROM _ d LEFT UNNEST d.l AS v ORDER BY d.n, v", "1,1 1,2 1,3 2,- 3,-"),
            ("SELECT d.n, v FROM _ d LEFT OUTER UNNEST d.l v WHERE v IS MISSING OR v > 2 ORDER BY d.n", "1,3 2,- 3,-"),
            ("SELECT d.n, v FROM _ d INNER UNNEST d.l AS v ORDER BY v", "1,1 1,2 1,3"),
            (
                "SELECT d.n, e.k, META(e).id FROM _ d LEFT UNNEST d.e ORDER BY d.n, e.k",
                #"1,-,2 1,"x",0 1,"y",1 2,-,"k" 3,-,-"#
            ),
            (
                "SELECT d.n, e, w FROM _ d LEFT UNNEST d.o AS e LEFT UNNEST e.none AS w ORDER BY d.n",
                "1,1,- 2,null,- 3,-,-"
            ),
            ("SELECT COUNT(*), COUNT(v) FROM _ d LEFT UNNEST d.l AS v", "5,3"),
        ])
    func joins(text: String, wanted: String) throws { #expect(try rows(text) == wanted) }

    @Test(
        "a star makes an object of arrays, and FIRST has the first value",
        arguments: [
            (
                "SELECT e[*], e[*].k, e[*].v, e[*].none FROM _ WHERE n = 1",
                #"{"k":["x","y",null],"v":[1,null,null]},["x","y",null],[1,null,null],-"#
            ),
            (
                "SELECT e[*].k[1], e[*].k[-1:], [{'a': [{'b': 1}, {'b': 2}]}][0].a[*].b FROM _ WHERE n = 1",
                #""y",[null],[1,2]"#
            ),
            ("SELECT e[*], e[*].k, l[*], o[*].x, none[*] FROM _ WHERE n = 2", "null,-,{},-,-"),
            (
                "SELECT airline FROM (SELECT [{'airline': 'A'}, {'airline': 'B'}] AS f) AS s LET airline = s.f[*].airline",
                #"["A","B"]"#
            ),
            ("SELECT n FROM _ WHERE ARRAY_CONTAINS(e[*].k, 'y')", "1"), ("SELECT n FROM _ WHERE 'x' IN e[*].k", "1"),
            ("SELECT n FROM _ WHERE e[*].k = ['x', 'y', NULL] OR e[0:1][*].k = ['q']", "1"),
            ("SELECT k FROM _ AS d UNNEST d.e[*].k AS k WHERE k IS VALUED", #""x" "y""#),
            ("SELECT FIRST v FOR v IN l WHEN v > 1 END, FIRST v * 10 FOR v IN l END FROM _ WHERE n = 1", "2,10"),
            (
                "SELECT FIRST v.none FOR v IN e END, FIRST v.k FOR v IN e WHEN v.v IS MISSING END FROM _ WHERE n = 1",
                #"-,"y""#
            ),
            (
                "SELECT FIRST v FOR v IN l END, FIRST v FOR v IN none END, FIRST v FOR v IN o END FROM _ WHERE n = 2",
                "-,-,null"
            ),
            ("SELECT n FROM _ WHERE FIRST v FOR v IN l WHEN v > 1 END = 2", "1"),
            ("SELECT FIRST (FIRST w FOR w IN [v, n] WHEN w > 2 END) FOR v IN l WHEN v = 3 END FROM _ WHERE n = 1", "3"),
        ])
    func elements(text: String, wanted: String) throws { #expect(try rows(text) == wanted) }

    @Test(
        "each function gives what the documents say for it, for MISSING and NULL too",
        arguments: [
            ("ARRAY_CONCAT(l, [n], [])", "[1,2,3,1]"), ("ARRAY_CONCAT(l, none)", "-"), ("ARRAY_CONCAT(l, n)", "null"),
            ("ARRAY_REVERSE(l)", "[3,2,1]"), ("ARRAY_POSITION(l, 3)", "2"), ("ARRAY_POSITION(l, 9)", "-1"),
            ("ARRAY_POSITION(l, NULL)", "null"), ("ARRAY_POSITION(none, NULL)", "-"),
            ("ARRAY_UNION(l, [3, 4])", "[1,2,3,4]"), ("ARRAY_INTERSECT(l, [3, 2, 9])", "[2,3]"),
            ("ARRAY_STAR(e).k", #"["x","y",null]"#),
            ("OBJECT_PUT(o, 'y', l)", #"{"x":1,"y":[1,2,3]}"#), ("OBJECT_PUT(o, 'x', none)", "{}"),
            ("OBJECT_REMOVE({'a': 1, 'b': 2}, 'a')", #"{"b":2}"#),
            ("OBJECT_CONCAT(o, {'y': 2}, {'x': 3})", #"{"y":2,"x":3}"#),
            ("OBJECT_CONCAT(o, NULL)", "null"), ("OBJECT_CONCAT(o, none)", "-"),
            ("NVL(none, n)", "1"), ("NVL(NULL, none)", "null"), ("NVL(n, 2)", "1"), ("COALESCE(none, NULL, l[1])", "2"),
            ("DECODE(n, 2, 'two', 1, 'one')", #""one""#), ("DECODE(none, NULL, 0, MISSING, 1)", "1"),
            ("DECODE(n, 5, 'five')", "null"), ("DECODE(n, 5, 'five', 'other')", #""other""#),
            ("DATE_FORMAT_STR('2020-01-31T10:00Z', '11:11:11')", #""10:00:00""#),
            ("DATE_RANGE_STR(at, '2020-02-03', 'day', 2)", #"["2020-01-31","2020-02-02"]"#),
            ("DATE_RANGE_STR(at, none, 'day')", "-"), ("DATE_RANGE_STR(at, NULL, 'day')", "null"),
        ])
    func functions(expression: String, wanted: String) throws {
        #expect(try rows("SELECT \(expression) FROM _ WHERE n = 1") == wanted)
    }
}
