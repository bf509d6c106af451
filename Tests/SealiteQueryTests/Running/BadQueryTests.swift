import Foundation
import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("bad queries")
struct BadQueryTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.save(json: #"{"a": {"n": 1, "s": "x", "list": [1, 2]}}"#)
    }

    private func error(_ text: String) -> DatabaseError? {
        do {
            _ = try test.database.createQuery(text).execute().allResults()
            return nil
        } catch { return error as? DatabaseError }
    }

    @Test(
        "what a query names and isn't there is an error with its place",
        arguments: [
            ("SELECT n FROM nothing", "line 1, column 15: no such collection \"nothing\""),
            ("SELECT n\nFROM _ AS a JOIN _ AS b ON a.n = b.n", "line 1, column 8: property 'n' does not begin"),
            ("SELECT META().size FROM _", "'size' is not a valid Meta key"),
            ("SELECT n FROM _ WHERE COUNT(n) > 1", "the aggregate COUNT() isn't allowed here"),
            ("SELECT COUNT(*) AS c FROM _ WHERE c > 1", "line 1, column 35: 'c' stands for the aggregate COUNT()"),
            ("SELECT MAX(n) AS m FROM _ GROUP BY m", "line 1, column 36: 'm' stands for the aggregate MAX()"),
            ("SELECT COUNT(*) FROM _ GROUP BY 1", "line 1, column 33: GROUP BY 1 stands for the result's column"),
            ("SELECT MAX(n) AS m FROM _ GROUP BY s HAVING SUM(m) > 1", "line 1, column 49: 'm' stands for"),
            (
                "SELECT n FROM _ GROUP BY n HAVING ROW_NUMBER() OVER () > 1",
                "line 1, column 35: the window function ROW_NUMBER() isn't allowed here"
            ),
            (
                "SELECT n FROM _ GROUP BY n HAVING SUM(n) OVER () > 1",
                "line 1, column 35: the window function SUM() isn't allowed here"
            ),
            ("SELECT ROW_NUMBER() OVER () AS r FROM _ WHERE r = 1", "line 1, column 47: 'r' stands for the window"),
            ("SELECT LAG(ROW_NUMBER() OVER ()) OVER () FROM _", "line 1, column 12: the window function ROW_NUMBER()"),
            ("SELECT ROW_NUMBER() FROM _", "expected OVER"),
            ("SELECT n FROM _ ORDER BY 2", "line 1, column 26: ORDER BY 2"),
            ("SELECT n FROM _ GROUP BY 2", "line 1, column 26: GROUP BY 2"),
            ("SELECT n FROM _ WHERE MATCH(i, 'x')", "there is no full-text index \"i\""),
            (
                "SELECT n FROM _ UNION SELECT n, s FROM _",
                "line 1, column 17: the queries of UNION have different numbers of columns"
            ),
            ("SELECT n AS x, s AS x FROM _", "line 1, column 16: duplicate alias 'x'"),
            ("SELECT * FROM _ AS a CROSS JOIN _ AS a", "line 1, column 33: duplicate alias 'a'"),
            ("SELECT * FROM _ AS a UNNEST a.list AS a", "line 1, column 29: duplicate alias 'a'"),
            ("SELECT n FROM _ LET a = 1, a = 2", "line 1, column 28: duplicate alias 'a'"),
            (
                "WITH a AS (SELECT n FROM _), a AS (SELECT n FROM _) SELECT * FROM a",
                "line 1, column 30: duplicate name 'a' in WITH"
            ),
            ("SELECT n FROM _ WHERE n = $``", "line 1, column 27: the name of a parameter is empty"),
            ("SELECT n FROM _ LIMIT 's'", "LIMIT"),
            ("SELECT (SELECT n, s FROM _) FROM _", "one column"),
            ("SELECT n", "line 1, column 8: 'n' is unknown: without a FROM clause"),
            ("SELECT *", "line 1, column 8: META() and * refer to documents"),
            (
                "SELECT a.n FROM _ a JOIN _ b ON TRUE RIGHT JOIN _ c ON TRUE",
                "line 1, column 49: RIGHT JOIN must be the first join"
            ),
            (
                "SELECT a.n FROM _ a UNNEST a.list RIGHT OUTER JOIN _ c ON TRUE",
                "line 1, column 52: RIGHT JOIN must be the first join"
            ),
        ])
    func names(text: String, part: String) {
        let found = error(text)
        #expect(found?.code == .invalidQuery && found?.reason.contains(part) == true, "\(found?.reason ?? "runs")")
    }

    @Test("LIMIT from a parameter that is no number is an error")
    func limit() throws {
        let query = try test.database.createQuery("SELECT n FROM _ LIMIT $n")
        for value in [Value.string("many"), .boolean(true), .null, .number(Number(1.5))] {
            query.parameters = Parameters().setValue(value, forName: "n")
            #expect(throws: DatabaseError(.invalidQuery, "")) { try query.execute() }
        }
        query.parameters = Parameters().setInt(-1, forName: "n")
        #expect(try query.execute().allResults().isEmpty)
    }

    @Test("long chains, long lists and deep nesting run or are refused, never a crash")
    func size() throws {
        let chain = (0..<5000).map { "n = \($0)" }.joined(separator: " OR ")
        #expect(error("SELECT n FROM _ WHERE \(chain)") == nil)
        let sum = (0..<1000).map { "n * \($0)" }.joined(separator: " + ")
        #expect(error("SELECT \(sum) FROM _") == nil)
        let list = (0..<20_000).map(String.init).joined(separator: ", ")
        #expect(error("SELECT n FROM _ WHERE n IN (\(list))") == nil)
        let arguments = Array(repeating: "s", count: 127).joined(separator: ", ")
        #expect(error("SELECT CONCAT(\(arguments)) FROM _") == nil)
        #expect(error("SELECT CONCAT(\(arguments), s) FROM _")?.code == .invalidQuery)
        let nested = String(repeating: "ABS(", count: 90) + "n" + String(repeating: ")", count: 90)
        #expect(error("SELECT \(nested) FROM _")?.reason.contains("nested too deeply") ?? true)
        let parentheses = String(repeating: "(", count: 10_000) + "n" + String(repeating: ")", count: 10_000)
        #expect(error("SELECT \(parentheses) FROM _")?.code == .invalidQuery)
        #expect(error("SELECT n FROM _ WHERE REGEXP_LIKE('\(String(repeating: "a", count: 40))b', '(a+)+$')") == nil)
        #expect(error("SELECT n / 0, n % 0, 9223372036854775807 + n, -9223372036854775807 - 2 FROM _") == nil)
    }

    @Test("a damaged body is NULL or MISSING, and other documents are found")
    func damaged() throws {
        try test.save(json: #"{"b": {"n": 2}, "c": {"n": 3}}"#)
        let query = try test.database.createQuery("SELECT n FROM _ WHERE n >= 1 ORDER BY n")
        #expect(try query.execute().map { $0.int(at: 0) } == [1, 2, 3])
    }
}
