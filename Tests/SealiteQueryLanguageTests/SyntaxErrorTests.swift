import Foundation
import Testing

@testable import SealiteQueryLanguage

@Suite("syntax errors")
struct SyntaxErrorTests {
    private func error(_ text: String) -> QuerySyntaxError? {
        do {
            _ = try Statement(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    private static let documentation = QueryCase.fixtures.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Documentation/QueryLanguage.md")

    @Test("the documented texts give the documented errors")
    func documented() throws {
        let page = try String(contentsOf: Self.documentation, encoding: .utf8)
        let section = try #require(
            page.range(of: "## 4. Errors").flatMap { page[$0.upperBound...].components(separatedBy: "\n## ").first })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map {
            $0.dropFirst(3).dropLast(2).components(separatedBy: "` | ")
        }
        #expect(rows.count == 6)
        for row in rows { #expect(error(row[0])?.description == row[1]) }
    }

    @Test(
        "an error says where, what was due and what may have been meant",
        arguments: [
            ("", "line 1, column 1: expected SELECT, DELETE, INSERT, UPDATE or WITH, found the end of the query"),
            (
                "SELCT a FROM _",
                "line 1, column 1: expected SELECT, DELETE, INSERT, UPDATE or WITH, found \"SELCT\"; did you mean SELECT?"
            ),
            ("SELECT a FROM _ WHERE", "line 1, column 22: expected an expression, found the end of the query"),
            ("SELECT a\nFROM `日本` WHERE )", "line 2, column 17: expected an expression, found \")\""),
            (
                "SELECT 3+4) FROM _",
                "line 1, column 11: expected AS, FROM, GROUP, LIMIT, OFFSET, ORDER, WHERE, EXCEPT, INTERSECT, UNION, "
            ),
            ("SELECT a FROM _ ORDER BY a DECS", "line 1, column 28: expected"),
            (
                "SELECT a & 3 FROM _",
                "line 1, column 10: operator \"&\" does not exist (there are no bitwise operators)"
            ),
            ("SELECT +a FROM _", "line 1, column 8: there is no unary operator +"),
            ("SELECT a FROM _ u RIGHT UNNEST u.b", "line 1, column 25: expected"),
            ("SELECT a FROM _ JOIN b WHERE x", "line 1, column 24: missing ON for JOIN"),
            ("SELECT a FROM _ CROSS JOIN b ON x", "line 1, column 30: CROSS JOIN cannot accept an ON clause"),
            ("SELECT a FROM (SELECT 1)", "line 1, column 25: a subquery in FROM needs an alias"),
            ("SELECT a FROM _ LIMIT 'x'", "line 1, column 23: LIMIT must be an integer"),
            (
                "SELECT a FROM _ UNNEST [1]",
                "line 1, column 24: UNNEST takes only a property path, such as a.items, and no other expression"
            ),
            (
                "SELECT a COLLATE NOCASE NODIAC",
                "line 1, column 25: a collation of several words must be in parentheses"
            ),
            ("SELECT a COLLATE UNICODE_SV", "line 1, column 18: expected UNICODE"),
            ("SELECT PREDICTION(m, {}) FROM _", "line 1, column 8: PREDICTION is not supported"),
            ("SELECT EXISTS(1) FROM _", "line 1, column 14: EXISTS must be followed by a subquery in parentheses"),
            ("SELECT a[b] FROM _", "line 1, column 10: expected an integer"),
            ("SELECT a[99999999999999999999] FROM _", "line 1, column 10: an array index doesn't fit into 64 bits"),
            ("SELECT 17x FROM _", "line 1, column 8: a number is followed directly by a letter, _ or $"),
            (
                "SELECT $limit FROM _",
                "line 1, column 8: the name of a parameter is a reserved word (use another name, or write the name in backquotes)"
            ),
            (
                "SELECT $1 FROM _",
                "line 1, column 8: $ isn't followed by the name of a parameter (the name must begin with a letter or an underscore, or be in backquotes)"
            ),
            (
                "SELECT größe FROM _",
                "line 1, column 10: this character isn't allowed outside of quotes (write a name with letters other than A to Z in backquotes)"
            ),
            ("SELECT a /* b", "line 1, column 10: the comment has no end (a comment ends with */)"),
            ("SELECT `a", "line 1, column 8: the quoted name has no closing quote (a quote inside is written twice)"),
            (
                "SELECT a FROM _; SELECT b",
                "line 1, column 18: expected the end of the query, found the reserved word SELECT"
            ),
            ("SELECT ROW_NUMBER() FROM _", "line 1, column 21: expected OVER, found the reserved word FROM"),
            ("UPDATE _ SET a[1:2] = 1", "line 1, column 14: SET and UNSET can't change a slice, such as a[1:2]"),
            ("UPDATE _ WHERE a", "line 1, column 10: expected AS, SET, UNSET or \".\", found the reserved word WHERE"),
        ])
    func messages(text: String, message: String) {
        let description = error(text)?.description
        #expect(description?.hasPrefix(message) == true, "\(text): \(description ?? "is read")")
    }

    @Test("an error does not repeat a value of the text")
    func values() throws {
        for text in [
            "SELECT a 'hunter2'", "SELECT 'hunter2", "SELECT a 20260101", "SELECT a FROM _ LIMIT 'hunter2'",
            "SELECT {'hunter2' 1}",
        ] {
            let found = try #require(error(text))
            #expect(!"\(found)".contains("hunter") && !"\(found)".contains("2026"))
        }
    }

    @Test("a long name is cut short in an error")
    func longNames() throws {
        let name = String(repeating: "n", count: 10_000)
        for text in ["SELECT \(name)() FROM _", "SELECT a b \(name)", "SELECT a WHERE \(name) `\(name)`"] {
            #expect(try #require(error(text)).description.utf8.count < 500)
        }
    }
}
