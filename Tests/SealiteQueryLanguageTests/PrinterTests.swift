import SealiteTestSupport
import Testing

@testable import SealiteQueryLanguage

@Suite("printer")
struct PrinterTests {
    @Test("a random tree is printed and read as the same tree")
    func randomTrees() throws {
        var trees = RandomTrees()
        for _ in 0..<1000 {
            let tree = trees.statement()
            let text = "\(tree)"
            do {
                let again = try Statement(parsing: text)
                #expect(again == tree, "seed \(trees.random.seed): \(text)\n\(again)")
            } catch {
                Issue.record("seed \(trees.random.seed): \(error)\n\(text)")
            }
        }
    }

    @Test(
        "parentheses and quotes stand where they must",
        arguments: [
            ("select (a + b) * c - (d * e)", "SELECT (a + b) * c - d * e"),
            ("select ((a and b) and c) or d", "SELECT a AND b AND c OR d"),
            ("select a and (b and c)", "SELECT a AND (b AND c)"),
            ("select a - (b - c)", "SELECT a - (b - c)"),
            ("select not (a = 1)", "SELECT NOT a = 1"),
            ("select (not a) = 1", "SELECT (NOT a) = 1"),
            ("select -(-3), - -a, a - -1", "SELECT - -3, - -a, a - -1"),
            ("select -(5)[0], (5).a, - -5[0], -(-5)[0]", "SELECT - 5[0], (5).a, - -5[0], - -5[0]"),
            ("select (a collate nocase) = b", "SELECT (a COLLATE NOCASE) = b"),
            (
                "select a in [1, 2], a in (b), a in b, a in (select 1)",
                "SELECT a IN (1, 2), a IN (b), a IN b, a IN (SELECT 1)"
            ),
            ("select `select`.`from`.`value`, `a b` `as`", "SELECT `select`.`from`.value, `a b` AS `as`"),
            ("select .5, 5., 007, 1.e3, -0.10", "SELECT 0.5, 5.0, 7, 1.0e3, -0.10"),
            ("select \"it's\", 'say \"hi\"'", "SELECT 'it''s', 'say \"hi\"'"),
            ("select count(), Count(*), count(d.*)", "SELECT COUNT(), COUNT(*), COUNT(d.*)"),
            ("(select 1) union all (select 2 limit 1)", "SELECT 1 UNION ALL (SELECT 2 LIMIT 1)"),
            ("select a x from _ let left join b on true;", "SELECT a AS x FROM _ AS `let` LEFT JOIN b ON TRUE"),
            ("select a offset 2 limit 1", "SELECT a LIMIT 1 OFFSET 2"),
        ])
    func minimal(text: String, printed: String) throws {
        #expect("\(try Statement(parsing: text))" == printed)
    }

    @Test(
        "the path of an array index is printed as it is read, level by level",
        arguments: [
            ("likes", "likes", 1), ("a . b [ 0 ] . `c d`", "a.b[0].`c d`", 1),
            ("contacts[].phones[0].x [ ] . y", "contacts[].phones[0].x[].y", 3),
        ])
    func arrayPath(text: String, printed: String, levels: Int) throws {
        let path = try ArrayPath(parsing: text)
        #expect(path.description == printed && path.levels.count == levels)
        #expect(try ArrayPath(parsing: printed) == path)
    }

    @Test("the path of an array index has as many steps as other paths")
    func longArrayPath() {
        let longest = Array(repeating: "a", count: QueryLimits.pathSteps).joined(separator: "[].")
        #expect(throws: Never.self) { try ArrayPath(parsing: longest) }
        #expect(throws: QuerySyntaxError.self) { try ArrayPath(parsing: longest + "[].a") }
    }
}
