import SealiteFile
import SealiteTestSupport
import Testing

@testable import SealiteFunctions

@Suite("snippets and highlights")
struct FullTextSnippetTests {
    private let stage: QueryStage

    init() throws {
        stage = try QueryStage()
        try stage.connection.execute("CREATE VIRTUAL TABLE texts USING fts5(a, b, tokenize = 'sealite')")
    }

    private func text(_ random: inout SeededRandom) -> SQLValue {
        guard random.below(12) > 0 else { return random.below(2) == 0 ? .null : .text("") }
        let words = ["a", "b", "c", "d", "ä", "xyz", "xyz", "xyz"]
        let signs = [" ", " ", " ", ". ", ": ", "\n", ".", "  "]
        let parts = (0..<random.below(40)).map { _ in words[random.below(8)] + signs[random.below(8)] }
        return .text(parts.joined())
    }

    @Test("snippets and highlights are equal to those of FTS5's own functions")
    func likeFTS5() throws {
        var random = SeededRandom()
        for _ in 0..<400 {
            try stage.connection.query("INSERT INTO texts VALUES (?1, ?2)", bind: [text(&random), text(&random)])
        }
        let searches = [
            "a", "a OR b", "\"a b\" OR a", "a AND c", "NEAR(a b, 3) OR d", "a OR \"b c\" OR \"c d\" OR a", "b : c OR d",
            "\"a a\" OR \"a b a\" OR b", "^ a OR x*", "\"xyz xyz\" OR \"xyz\"",
        ]
        var rowCount = 0
        for search in searches {
            for column in [-1, 0, 1] {
                for size in [2, 3, 4, 7, 10, 64, 5000] {
                    let (own, given) = ("query_snippet", "snippet")
                    let arguments = "(texts, \(column), '[', ']', '…', \(size))"
                    rowCount += try differences("\(own)\(arguments)", "\(given)\(arguments)", search)
                }
                guard column >= 0 else { continue }
                let arguments = "(texts, \(column), '<b>', '</b>')"
                rowCount += try differences("query_highlight\(arguments)", "highlight\(arguments)", search)
            }
        }
        #expect(rowCount > 10_000)
    }

    /// Expects two expressions to be equal in all rows that a search finds, and returns the number of rows.
    private func differences(_ own: String, _ given: String, _ search: String) throws -> Int {
        var rowCount = 0
        try stage.connection.query("SELECT \(own), \(given), a, b FROM texts(?1)", bind: [.text(search)]) { row in
            rowCount += 1
            let (left, right) = (row.text(0), row.text(1))
            if left != right {
                let (one, other) = (left ?? "NULL", right ?? "NULL")
                Issue.record("\(search): \(own) is \(one) instead of \(other) for \(row.text(2) ?? "NULL")")
            }
        }
        return rowCount
    }

    @Test("of a column that the table doesn't have fail, or are NULL")
    func absentColumn() throws {
        try stage.connection.execute("INSERT INTO texts VALUES ('a', 'b')")
        #expect(try stage.connection.text("SELECT quote(query_highlight(texts, 2, '', '')) FROM texts('a')") == "NULL")
        #expect(throws: (any Error).self) {
            try stage.connection.execute("SELECT query_snippet(texts, 2, '', '', '', 5) FROM texts('a')")
        }
    }

    @Test("of one word at the start of the text have one word")
    func oneWord() throws {
        try stage.connection.execute("INSERT INTO texts VALUES ('a b c', '')")
        let snippet = "SELECT query_snippet(texts, 0, '[', ']', '…', 1) FROM texts('a')"
        #expect(try stage.connection.text(snippet) == "[a]…")
    }
}
