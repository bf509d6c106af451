@testable import SealiteQueryLanguage

/// SQL++ text: what is read is printed, and the printed text reads as the same tree.
final class QueryFuzz: FuzzTarget {
    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        let tree: Statement
        do throws(QuerySyntaxError) {
            tree = try Statement(parsing: input)
        } catch {
            try check(error, input)
            return
        }
        try BrokenProperty.unless(String(validating: input, as: UTF8.self) != nil, "bytes are read that are no text")
        let text = "\(tree)"
        // Spaces and quotes are added, so that a text at the limit may come out above it.
        guard text.utf8.count <= QueryLimits.textByteCount else { return }
        guard let again = try? Statement(parsing: text) else {
            throw BrokenProperty("a printed query is refused: \(text)")
        }
        try BrokenProperty.unless(again == tree, "a printed query reads as another tree: \(text)")
        try BrokenProperty.unless("\(again)" == text, "a query is printed otherwise the second time: \(text)")
    }

    /// An error lies in the text, and says something short.
    private func check(_ error: QuerySyntaxError, _ input: [UInt8]) throws(BrokenProperty) {
        try BrokenProperty.unless((0...input.count).contains(error.offset), "an error lies outside the text")
        try BrokenProperty.unless(error.line >= 1 && error.column >= 1, "an error has no place")
        try BrokenProperty.unless(error.description.utf8.count < 2000, "an error is long")
    }

    /// First inputs: every construct of the grammar, and what is next to it.
    static let seeds: [[UInt8]] =
        [
            "SELECT a, b.c[0][-1] AS x, *, d.* FROM s.c AS d WHERE a = 1 AND NOT b != 'it''s' OR c IS NOT MISSING",
            "SELECT DISTINCT VALUE {'a': [1, -2.5e3, .5], \"b\": NULL}.a[1:2] FROM _ LET x = 1, `y z` = TRUE",
            "SELECT COUNT(*), SUM(DISTINCT a) FILTER (WHERE b > 0) FROM _ GROUP BY c HAVING COUNT(*) BETWEEN 1 AND 2 ORDER BY 1 DESC NULLS LAST LIMIT $n OFFSET 2;",
            "SELECT META().id, META(a).sequence FROM _ a LEFT OUTER JOIN _ b ON a.x = b.y CROSS JOIN c UNNEST a.list AS l",
            "SELECT ANY v IN a SATISFIES v IN (1, 2) END, EVERY v IN a SATISFIES v END, ANY AND EVERY v IN $p SATISFIES v IN b END FROM _",
            "SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END, CASE WHEN a THEN b END, ARRAY v.x FOR v IN a WHEN v > 1 END FROM _",
            "SELECT (a = 'x' COLLATE (UNICODE:sv NOCASE NODIAC)), b LIKE 'x!%' ESCAPE '!' COLLATE NOCASE FROM _ -- comment",
            "WITH RECURSIVE q AS (SELECT 1 AS n UNION ALL SELECT q.n + 1 FROM q) SELECT * FROM q /* c */ EXCEPT (SELECT 2 LIMIT 1) INTERSECT SELECT 3",
            "SELECT (SELECT 1), a IN (SELECT b FROM c), EXISTS (SELECT 1), ((SELECT 1) UNION SELECT 2) FROM (SELECT a FROM b) AS q",
            "SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b ROWS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING), SUM(a) OVER () FROM _",
            "SELECT a FROM _ WHERE MATCH(d.i, 'x') ORDER BY RANK(i)",
            "UPDATE c AS d SET a.b[0] = 1, `select` = a || 'x' UNSET e WHERE META().id = $id LIMIT 1 RETURNING META().id, *",
            "DELETE FROM s.c WHERE a % 2 = 0 RETURNING VALUE a",
            "INSERT INTO c (KEY, VALUE) VALUES ('k', {'a': 1}), ($k, $v) RETURNING a",
            "INSERT INTO c (KEY x, VALUE {'y': y}) SELECT x, y FROM d", "INSERT INTO c (VALUE) VALUES ({})",
            "SELECT a[*].b, FIRST v[*] FOR v IN a WHEN v END FROM a RIGHT OUTER JOIN b ON TRUE LEFT UNNEST a.x AS y INNER UNNEST y.z",
            "SELECT NOW_STR('%F'), DECODE(a, 1, 2), OBJECT_REMOVE(a, 'b'), first, first a",
            "SELECT value, key.first, array[0], let x FROM union",
            "SELECT - -a - -1, NOT NOT a, a = NOT b, -(-3), (a AND b) AND c FROM _",
            "SELECT ((((((((((a))))))))))[0].b", "SELECT 'open", "SELECT `", "SELECT a..b", "SELECT 1.2.3",
            "SELECT $select", "\u{FEFF}SELECT é",
        ].map { Array($0.utf8) } + [Array("SELECT '".utf8) + [0xFF, 0xC3] + Array("'".utf8)]
}
