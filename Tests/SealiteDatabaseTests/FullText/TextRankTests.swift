import GRDB
import SealiteFunctions
import SealiteGRDB
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

/// The function `query_rank`, against FTS5's own bm25().
@Suite("the rank of rows")
struct TextRankTests {
    let stage: TextStage

    init() throws {
        stage = try TextStage()
        var generator = SeededRandom(part: 11)
        let words = (0..<40).map { "word\($0)x" }
        func text(_ most: Int) -> String {
            (0..<Int.random(in: 0..<most, using: &generator)).map { _ in
                words[Int.random(in: 0...Int.random(in: 0..<40, using: &generator), using: &generator)]
            }
            .joined(separator: " ")
        }
        let ids = (0..<600).map { "d\($0)" }
        try stage.test.database.write { _ in
            for id in ids { try stage.save(id, text(60), title: text(6)) }
        }
        try stage.makeIndexes()
        try stage.test.database.write { _ in
            for id in ids where Int.random(in: 0..<3, using: &generator) == 0 { try stage.collection.delete(id: id) }
            for id in ids where Int.random(in: 0..<5, using: &generator) == 0 {
                try stage.save(id, text(200), title: text(6))
            }
        }
    }

    private static let queries = [
        "word0x", "word1x OR word2x", "word3x AND word0x", "word0x + word0x", "NEAR(word0x word2x, 3)", "word*",
        "text2 : word1x", "word39x", "word0x NOT word1x", "nothing",
    ]

    private func rows(_ sql: String, _ expression: String) throws -> [[DatabaseValue]] {
        try stage.test.database.reading { connection in
            try Row.fetchAll(connection, sql: sql, arguments: [expression]).map { Array($0.databaseValues) }
        }
    }

    @Test(
        "every row has the rank that bm25() gives it, in any order of rows, with and without weights",
        arguments: queries, ["", ", 10.0", ", 0.0, 3", ", -2, 1"])
    func equal(expression: String, weights: String) throws {
        for order in ["ASC", "DESC"] {
            let order = "FROM text_1 WHERE text_1 MATCH ?1 ORDER BY rowid \(order)"
            let ranks = try rows("SELECT rowid, query_rank(text_1, 1, NULL\(weights)) \(order)", expression)
            #expect(try ranks == rows("SELECT rowid, -bm25(text_1\(weights)) \(order)", expression))
            #expect(ranks.isEmpty == (expression == "nothing"))
        }
    }

    @Test(
        "rows that aren't among the best are passed over, and no other ones",
        arguments: queries, ["", ", 10.0", ", 0.0, 3", ", -2, 1"])
    func best(expression: String, weights: String) throws {
        for count in [1, 3, 10, 1_000] {
            let order = "ORDER BY rank DESC, rowid LIMIT \(count)"
            let found = try rows(
                """
                SELECT rowid, query_rank(text_1, 1, NULL\(weights)) AS rank FROM text_1
                WHERE text_1 MATCH ?1 AND query_rank(text_1, 1, \(count)\(weights)) IS NOT NULL \(order)
                """, expression)
            let all = try rows(
                "SELECT rowid, -bm25(text_1\(weights)) AS rank FROM text_1 WHERE text_1 MATCH ?1 \(order)", expression)
            #expect(found == all)
        }
        let passed = try rows(
            "SELECT rowid FROM text_1 WHERE text_1 MATCH ?1 AND query_rank(text_1, 1, 2\(weights)) IS NULL", expression)
        #expect(passed.isEmpty == (expression == "nothing"))
    }

    @Test("a table whose counts of words are missing, damaged or elsewhere gives what bm25() gives")
    func damaged() throws {
        func outcome(_ function: String) -> String {
            do {
                let sql = "SELECT rowid, \(function) FROM text_1 WHERE text_1 MATCH ?1"
                return "\(try rows(sql, "word0x"))"
            } catch {
                return (error as? GRDB.DatabaseError)?.message ?? "\(error)"
            }
        }
        // There is no index of that number: each size is looked up.
        #expect(outcome("query_rank(text_1, 99, NULL)") == outcome("-bm25(text_1)"))
        #expect(outcome("query_rank(text_1)").contains("needs the number"))
        for edit in ["UPDATE text_1_docsize SET sz = x'8080' WHERE id = 9", "DELETE FROM text_1_docsize WHERE id > 5"] {
            try stage.foreign(edit, triggers: false)
            #expect(outcome("query_rank(text_1, 1, NULL)") == outcome("-bm25(text_1)"))
        }
    }
}
