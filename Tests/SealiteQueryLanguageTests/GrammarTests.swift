import Foundation
import Testing

@testable import SealiteQueryLanguage

@Suite("grammar")
struct GrammarTests {
    private func printed(_ text: String) -> String? { (try? Statement(parsing: text)).map { "\($0)" } }

    @Test(
        "every form beyond Couchbase Lite's is read",
        arguments: [
            "SELECT a FROM _ WHERE a IN b AND a IN $list AND a IN SPLIT(b, ',') AND a NOT IN (SELECT VALUE b FROM c)",
            "SELECT a /* one */ FROM _ -- two\n WHERE a -- three",
            "SELECT (SELECT COUNT(*) FROM b WHERE b.x = a.x) AS n FROM a WHERE EXISTS (SELECT 1 FROM c WHERE c.x = a.x)",
            "SELECT q.a FROM (SELECT a FROM _) AS q JOIN (SELECT b FROM _) r ON q.a = r.b",
            "WITH q AS (SELECT 1), r AS (SELECT 2) SELECT * FROM q JOIN r ON TRUE",
            "WITH RECURSIVE q AS (SELECT 1 AS n UNION ALL SELECT q.n + 1 AS n FROM q WHERE q.n < 10) SELECT n FROM q",
            "SELECT a FROM b UNION SELECT a FROM c INTERSECT ALL SELECT a FROM d EXCEPT (SELECT a FROM e ORDER BY a LIMIT 1) ORDER BY a",
            "SELECT COUNT(DISTINCT a), SUM(a) FILTER (WHERE a > 0), ARRAY_AGG(DISTINCT a) FILTER (WHERE a > 0) FROM _",
            "SELECT a FROM _ ORDER BY a NULLS FIRST, b DESC NULLS LAST",
            "SELECT x + y FROM _ LET x = a * 2, y = x WHERE x > y",
            "SELECT VALUE a.b FROM _", "SELECT RAW {'a': a} FROM _", "SELECT DISTINCT VALUE (a + 1) AS b FROM _",
            "SELECT ARRAY v.x FOR v IN list WHEN v.y > 1 END, ARRAY (v + 1) FOR v IN [1, 2] END FROM _",
            "SELECT a[1:3], a[1:], a[:3], a[-2:][0].b, f.a[:] FROM _",
            "SELECT a[*], a[*].b, f.a[0][*].b[1], ARRAY_STAR(a).b FROM _",
            "SELECT FIRST v.x FOR v IN list WHEN v.y > 1 END, FIRST (v + 1) FOR v IN [1, 2] END FROM _",
            "SELECT a.x FROM a RIGHT JOIN b ON a.x = b.x RIGHT OUTER JOIN c ON a.x = c.x",
            "SELECT v FROM a LEFT UNNEST a.v AS v LEFT OUTER UNNEST v.w INNER UNNEST v.x",
            "SELECT NVL(a, 1), COALESCE(a, b, c), DECODE(a, 1, 'one', 2, 'two', 'many'), NOW_STR('%F'), NOW_MILLIS() FROM _",
            "SELECT a LIKE 'x!%' ESCAPE '!' FROM _",
            "SELECT ROW_NUMBER() OVER (ORDER BY a), SUM(a) OVER (PARTITION BY b, c ORDER BY d DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM _",
            "SELECT RANK() OVER (ORDER BY a), LAG(a, 1, 0) OVER (ORDER BY a RANGE UNBOUNDED PRECEDING), RANK(a.idx) FROM _ WHERE MATCH(a.idx, 'x')",
            "SELECT SUBSTR(a, 0, 2), OBJECT_PAIRS(b), ARRAY_RANGE(0, 10), DATE_PART_STR(c, 'year') FROM _",
            "UPDATE people AS p SET p.age = p.age + 1, tags[0] = 'x' UNSET p.old WHERE p.age > $n LIMIT 10 RETURNING META().id, p.age",
            "UPDATE s.c UNSET a", "DELETE FROM s.c WHERE a = 1 LIMIT 5 RETURNING VALUE META().id", "DELETE FROM c;",
            "INSERT INTO c (KEY, VALUE) VALUES ('k1', {'a': 1}), ($key, $value) RETURNING META().id",
            "INSERT INTO c (VALUE) VALUES ({'a': 1})",
            "INSERT INTO c (KEY UPPER(d.id), VALUE d) SELECT d.id, d FROM d WHERE d.x RETURNING *",
            "SELECT APPROX_VECTOR_DISTANCE(a.v, $t, 'cosine', 8, FALSE) AS d FROM a ORDER BY d LIMIT 5",
        ])
    func extensions(text: String) throws {
        let tree = try Statement(parsing: text)
        #expect(try Statement(parsing: "\(tree)") == tree)
    }

    @Test(
        "what has no place in the language is refused",
        arguments: [
            "SELECT", "SELECT FROM a", "SELECT a FROM", "SELECT a FROM b, c", "SELECT a FROM b RIGHT JOIN c",
            "SELECT a FROM b FULL OUTER JOIN c ON TRUE", "SELECT a FROM b RIGHT UNNEST b.c",
            "SELECT a FROM b JOIN c",
            "SELECT a FROM b CROSS JOIN c ON TRUE", "SELECT a FROM b CROSS UNNEST b.c",
            "SELECT a FROM b UNNEST (b.c + 1)",
            "SELECT a[b] FROM _", "SELECT a[1.5] FROM _", "SELECT a[*:1] FROM _", "SELECT a[**] FROM _",
            "UPDATE c SET a[*] = 1", "SELECT a & 1", "SELECT a | 1",
            "SELECT a << 1", "SELECT a >> 1",
            "SELECT FIRST v FOR v IN a FROM _", "SELECT FIRST v, w FOR v IN a END FROM _", "SELECT a ILIKE 'b' FROM _",
            "SELECT a IS", "SELECT a NOT b",
            "SELECT a IN", "SELECT a BETWEEN 1",
            "SELECT (a = 'x' COLLATE NOCASE AND b = 1)", "SELECT a COLLATE NOCASE = 'x'", "SELECT a LIKE 'x' = TRUE",
            "SELECT a IN (1) = TRUE",
            "SELECT a FROM _ HAVING a", "SELECT a FROM _ GROUP BY a WHERE a", "SELECT a FROM _ LIMIT 1 WHERE a",
            "SELECT a FROM _ LIMIT NULL",
            "SELECT 1 + * FROM _", "SELECT ABS(*) FROM _", "SELECT COUNT(DISTINCT *) FROM _",
            "SELECT COUNT(DISTINCT) FROM _", "SELECT ABS(DISTINCT a)",
            "SELECT ABS(a) OVER ()", "SELECT ABS(a) FILTER (WHERE b)", "SELECT NTILE(4) FROM _",
            "SELECT `abs`(a) FROM _", "SELECT a.abs(b) FROM _",
            "SELECT CASE END", "SELECT CASE a ELSE b END", "SELECT ANY v IN a END", "SELECT ANY v SATISFIES b END",
            "SELECT EXISTS (a)",
            "SELECT {a: 1}", "SELECT {'a' 1}", "SELECT [1,]", "SELECT (a, b)", "SELECT ()", "SELECT a.`b", "SELECT \"a",
            "SELECT a;;", "a", "SELECT @a",
            "MATCH(a, 'b')", "SELECT MATCH('a', 'b')", "SELECT RANK('a')", "SELECT PREDICTION(m, {'a': 1})", "UPDATE c",
            "UPDATE c WHERE a", "UPDATE c SET a",
            "DELETE c", "DELETE FROM (SELECT 1)", "INSERT INTO c VALUES (1)", "INSERT INTO c (KEY, VALUE) VALUES (1)",
            "INSERT INTO c (KEY) VALUES (1)",
            "INSERT INTO c (KEY k) SELECT 1", "WITH q SELECT 1", "WITH q AS SELECT 1 SELECT 2",
            "SELECT a FROM (SELECT 1)",
            "SELECT TOTAL(a)", "SELECT IFNAN(a, b)", "SELECT NVL(a)", "SELECT DECODE(a, 1)", "SELECT NOW_MILLIS(1)",
            "SELECT ARRAY_UNION(a)", "SELECT OBJECT_PUT(a, b)", "SELECT DATE_RANGE_STR(a, b)", "EXPLAIN SELECT 1",
        ])
    func refused(text: String) {
        #expect(throws: QuerySyntaxError.self) { try Statement(parsing: text) }
    }

    @Test(
        "a word that is not reserved is a name wherever one is due",
        arguments: Keyword.allCases.filter { !$0.isReserved })
    func names(keyword: Keyword) throws {
        let word = keyword.text.lowercased()
        for text in [
            "SELECT word, word.word, a AS word, word[0], COUNT(word) FROM word AS word WHERE word = 1 AND word NOT IN word ORDER BY word, word DESC",
            "SELECT a word FROM word.word word JOIN b word ON word UNNEST word.word word GROUP BY word LIMIT 1",
            "SELECT word + 1, (word), [word], word IS NULL, word NOT NULL, word.x AS y, ANY word IN word SATISFIES word END FROM _",
            "UPDATE word SET word = word, word.word = 1 WHERE word", "DELETE FROM word WHERE word LIMIT 1",
        ] {
            let plain = text.replacingOccurrences(of: "word", with: word)
            let quoted = text.replacingOccurrences(of: "word", with: "`\(word)`")
            #expect(try Statement(parsing: plain) == Statement(parsing: quoted), "\(plain)")
        }
    }

    @Test("the word of each keyword is the name of its case")
    func words() {
        for keyword in Keyword.allCases where keyword.text != "\(keyword)".uppercased() { Issue.record("\(keyword)") }
        for keyword in Keyword.allCases where Keyword(Array(keyword.text.utf8)[...]) != keyword {
            Issue.record("\(keyword)")
        }
    }

    @Test("a reserved word is a name in backquotes only", arguments: Keyword.allCases.filter(\.isReserved))
    func reserved(keyword: Keyword) throws {
        #expect(throws: QuerySyntaxError.self) { try Statement(parsing: "SELECT a AS \(keyword.text)") }
        #expect(throws: QuerySyntaxError.self) { try Statement(parsing: "SELECT a.\(keyword.text)") }
        let tree = try Statement(parsing: "SELECT `\(keyword.text)`.`\(keyword.text)` AS `\(keyword.text)`")
        #expect("\(tree)" == "SELECT `\(keyword.text)`.`\(keyword.text)` AS `\(keyword.text)`")
    }

    @Test(
        "VALUE and ARRAY are keywords only before an expression of their own",
        arguments: [
            ("SELECT value FROM _", "SELECT `value` FROM _"), ("SELECT value, a", "SELECT `value`, a"),
            ("SELECT value AS a", "SELECT `value` AS a"),
            ("SELECT value - 1", "SELECT `value` - 1"), ("SELECT value[0]", "SELECT `value`[0]"),
            ("SELECT value[1:2]", "SELECT `value`[1:2]"),
            ("SELECT value NOT IN (1)", "SELECT `value` NOT IN (1)"), ("SELECT value * 2", "SELECT `value` * 2"),
            ("SELECT value IS NULL", "SELECT `value` IS NULL"),
            ("SELECT value [a, 1]", "SELECT VALUE ([a, 1])"), ("SELECT value NOT a", "SELECT VALUE (NOT a)"),
            ("SELECT value value", "SELECT VALUE `value`"),
            ("SELECT value (a)", "SELECT VALUE a"), ("SELECT value 'x' y", "SELECT VALUE 'x' AS y"),
            ("SELECT value case when a then b end", nil),
            ("SELECT array FROM _", "SELECT `array` FROM _"), ("SELECT array a FROM _", "SELECT `array` AS a FROM _"),
            ("SELECT array[0]", "SELECT `array`[0]"),
            ("SELECT array a, b FROM _", "SELECT `array` AS a, b FROM _"),
            ("SELECT array a for a in b end", "SELECT ARRAY a FOR a IN b END"),
            ("SELECT array [a, 1] for a in array end", nil),
            ("SELECT value[*]", "SELECT `value`[*]"), ("SELECT array[*] FROM _", "SELECT `array`[*] FROM _"),
            ("SELECT first FROM _", "SELECT `first` FROM _"), ("SELECT first a FROM _", "SELECT `first` AS a FROM _"),
            ("SELECT first[0] FROM _", "SELECT `first`[0] FROM _"),
            ("SELECT first a for a in first end", "SELECT FIRST a FOR a IN `first` END"),
            ("SELECT a FROM _ ORDER BY first NULLS FIRST", "SELECT a FROM _ ORDER BY `first` NULLS FIRST"),
        ])
    func ambiguousWords(text: String, expected: String?) throws {
        let tree = try Statement(parsing: text)
        if let expected { #expect("\(tree)" == expected) }
        #expect(try Statement(parsing: "\(tree)") == tree)
    }

    @Test("a part of a tree knows where it stands, and equality does not ask")
    func positions() throws {
        let text = "SELECT a,\n  LOWER(bb.c) FROM _"
        guard case .query(let query) = try Statement(parsing: text), case .select(let select) = query.first,
            case .columns(let columns) = select.projection, case .call(let call) = columns[1].expression,
            case .path(let path) = call.arguments[0],
            case .collection(let name, _) = select.from?.source
        else {
            Issue.record("another tree")
            return
        }
        #expect([columns[1].position, call.position, path.position, name.position].map(\.offset) == [12, 12, 18, 29])
        #expect(try Statement(parsing: "SELECT a, LOWER(bb.c) FROM _") == .query(query))
    }

    @Test("the documentation names every function")
    func documentedFunctions() throws {
        let file = QueryCase.fixtures.deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Documentation/QueryLanguage.md")
        let words = Set(
            try String(contentsOf: file, encoding: .utf8).split { !$0.isLetter && !$0.isNumber && $0 != "_" })
        for name in FunctionSignature.table.map(\.name) where !name.hasPrefix("IS") && !name.hasPrefix("TO") {
            #expect(words.contains(Substring(name)), "\(name)")
        }
    }
}
