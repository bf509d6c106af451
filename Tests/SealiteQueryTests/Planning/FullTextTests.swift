import Foundation
import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("full-text search in queries")
struct FullTextTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.save(
            json: """
                {"a": {"title": "Running dogs", "body": "The quick brown fox jumps over the lazy dog", "kind": 1},
                 "b": {"title": "Dog runs", "body": "A dog ran; dogs were running. Dog dog dog.", "kind": 2},
                 "c": {"title": "Café culture", "body": ["espresso", {"with": "croissants"}], "kind": 1},
                 "d": {"title": 7, "body": "alternative ways", "also": "dog"}}
                """)
        try test.collection.createIndex(
            withName: "words",
            config: FullTextIndexConfiguration(["title", "body"], ignoreAccents: true, language: "en"))
        try test.collection.createIndex(withName: "also", config: FullTextIndexConfiguration(["also"]))
    }

    private func rows(_ text: String, _ parameters: Parameters? = nil) throws -> [[QueryValue]] {
        let query = try test.database.createQuery(text as String)
        query.parameters = parameters
        return try query.execute().map(\.values)
    }

    private func ids(_ condition: String, _ parameters: Parameters? = nil) throws -> [String] {
        try rows("SELECT META().id FROM _ WHERE \(condition) ORDER BY META().id", parameters).compactMap {
            if case .text(let id)? = $0.first { id } else { nil }
        }
    }

    @Test(
        "MATCH is a condition like any other",
        arguments: [
            ("MATCH(words, 'dog')", ["a", "b"]), ("NOT MATCH(words, 'dog')", ["c", "d"]),
            ("MATCH(words, 'dog') OR kind = 1", ["a", "b", "c"]),
            ("MATCH(words, 'dog') AND MATCH(also, 'dog')", []),
            ("MATCH(words, 'dog') OR MATCH(also, 'dog')", ["a", "b", "d"]),
            ("MATCH(words, 'dog') AND NOT MATCH(words, 'fox')", ["b"]), ("MATCH(words, 'cafe croissant')", ["c"]),
            ("MATCH(words, 'alternat*')", ["d"]), ("MATCH(words, 'alterna*')", ["d"]), ("MATCH(words, '7')", []),
            ("MATCH(_.words, 'fox')", ["a"]), ("MATCH(words, LOWER('FOX'))", ["a"]),
            ("MATCH(words, title)", ["a", "b", "c"]),
            ("MATCH(words, NULL)", []), ("MATCH(words, missing)", []),
            ("CASE WHEN MATCH(words, 'fox') THEN kind = 1 ELSE FALSE END", ["a"]),
            ("EXISTS (SELECT 1 FROM _ AS o WHERE MATCH(o.words, 'fox') AND o.kind = _.kind)", ["a", "c"]),
        ])
    func conditions(condition: String, expected: [String]) throws { #expect(try ids(condition) == expected) }

    @Test("a text may be a parameter, and changes with it")
    func parameters() throws {
        let query = try test.database.createQuery(
            "SELECT META().id FROM _ WHERE MATCH(words, $text) ORDER BY RANK(words) DESC" as String)
        for (text, expected) in [("fox", ["a"]), ("croissant", ["c"]), ("dog", ["b", "a"]), ("", [])] {
            query.parameters = Parameters().setString(text, forName: "text")
            #expect(try query.execute().map(\.values) == expected.map { [.text($0)] })
        }
        query.parameters = Parameters().setString("dog AND", forName: "text")
        let error = #expect(throws: DatabaseError.self) { try query.execute().allResults() }
        #expect(error?.code == .invalidQuery && error?.reason.contains("character 8") == true)
    }

    @Test(
        "the first rows by rank are those of all rows by rank, whatever else the query says",
        arguments: [
            "LIMIT 2", "LIMIT 2 OFFSET 1", "LIMIT $two OFFSET $one", "LIMIT 1 + 1", "LIMIT 0", "LIMIT -1", "LIMIT 100",
        ])
    func firstRanks(limit: String) throws {
        try test.database.write { _ in
            for index in 0..<60 {
                let text = (0...index % 13).map { $0 < index % 5 ? "dog" : "word\($0)" }.joined(separator: " ")
                let document = MutableDocument(id: "n\(index)").setString(text, forKey: "body")
                    .setInt(index % 4, forKey: "kind")
                try test.collection.save(document: document)
            }
        }
        let hasParameters = limit.contains("$")
        let parameters = hasParameters ? Parameters().setInt(2, forName: "two").setInt(1, forName: "one") : nil
        let range =
            switch limit {
            case "LIMIT 2", "LIMIT 1 + 1": 0..<2
            case "LIMIT 0", "LIMIT -1": 0..<0
            case "LIMIT 100": 0..<100
            default: 1..<3
            }
        for (columns, condition, order) in [
            ("META().id", "", "RANK(words) DESC, META().id"), ("META().id, RANK(words) AS r", "", "r DESC, META().id"),
            ("META().id, SNIPPET(words)", "AND kind = 1", "RANK(words) DESC, META().id"),
            ("DISTINCT kind, RANK(words)", "", "RANK(words) DESC, kind"),
            ("META().id", "", "RANK(words), META().id"), ("META().id", "", "RANK(words, 0, kind) DESC, META().id"),
            ("META().id", "", "kind, RANK(words) DESC, META().id"), ("kind, COUNT(*)", "GROUP BY kind", "kind"),
        ] {
            let text = "SELECT \(columns) FROM _ WHERE MATCH(words, 'dog') \(condition) ORDER BY \(order)"
            let all = try rows(text)
            #expect(try rows("\(text) \(limit)", parameters) == Array(all[range.clamped(to: all.indices)]))
        }
    }

    @Test("RANK is greater for better rows and weighs columns, in every place")
    func ranks() throws {
        let plain = try rows("SELECT META().id FROM _ WHERE MATCH(words, 'dog') ORDER BY RANK(words) DESC LIMIT 1")
        #expect(plain == [[.text("b")]])
        for text in [
            "SELECT META().id, RANK(words) AS r FROM _ WHERE MATCH(words, 'dog OR fox') ORDER BY r DESC",
            "SELECT META().id, RANK(words) AS r FROM _ WHERE MATCH(words, 'dog OR fox') OR FALSE ORDER BY r DESC",
            "SELECT META(x).id, RANK(x.words) AS r FROM _ AS x JOIN _ AS y ON META(x).id = META(y).id WHERE MATCH(x.words, 'dog OR fox') ORDER BY r DESC",
        ] {
            let found = try rows(text)
            #expect(found.count == 2)
            let first = try rows(
                "SELECT META().id, RANK(words) AS r FROM _ WHERE MATCH(words, 'dog OR fox') ORDER BY r DESC")
            #expect(found == first)
        }
        let title = try rows("SELECT META().id FROM _ WHERE MATCH(words, 'run') ORDER BY RANK(words, 100, 0) DESC")
        let body = try rows("SELECT META().id FROM _ WHERE MATCH(words, 'run') ORDER BY RANK(words, 0, 100) DESC")
        #expect(title.count == 2 && body == [[.text("b")], [.text("a")]])
        let grouped = try rows(
            "SELECT kind, COUNT(*), MAX(RANK(words)) FROM _ WHERE MATCH(words, 'dog') GROUP BY kind ORDER BY kind")
        #expect(grouped.count == 2)
        let missing = try rows(
            "SELECT META().id, RANK(words) FROM _ WHERE MATCH(words, 'fox') OR kind = 2 ORDER BY META().id")
        #expect(missing.count == 2 && missing[1][1] == .missing)
        #expect(try ids("MATCH(words, 'dog') AND RANK(words) > 0").count == 2)
    }

    @Test("snippets, highlights and the places of hits")
    func excerpts() throws {
        #expect(
            try rows("SELECT HIGHLIGHT(words), HIGHLIGHT(words, 'body', '[', ']') FROM _ WHERE MATCH(words, 'dog fox')")
                == [
                    [.text("Running <b>dogs</b>"), .text("The quick brown [fox] jumps over the lazy [dog]")]
                ])
        #expect(
            try rows("SELECT SNIPPET(words, -1, '[', ']', '...', 3) FROM _ WHERE MATCH(words, 'fox') OR FALSE") == [
                [.text("The quick brown [fox] jumps over the lazy...")]
            ]
                || rows("SELECT SNIPPET(words, -1, '[', ']', '...', 3) FROM _ WHERE MATCH(words, 'fox') OR FALSE").count
                    == 1
        )
        for end in ["", " OR FALSE"] {
            let query = try test.database.createQuery(
                "SELECT HITS(words) FROM _ WHERE MATCH(words, 'cafe OR \"espresso croissant\"')\(end)" as String)
            let result = try #require(try query.execute().allResults().first)
            #expect(
                result.fullTextHits(at: 0) == [
                    FullTextHit(column: "title", term: 0, range: 0..<5),
                    FullTextHit(column: "body", term: 1, range: 0..<19),
                ])
            #expect(result.fullTextHits(at: 5) == [])
        }
    }

    @Test("of several MATCHes of an index, the first one has the hits, whichever finds the documents")
    func firstMatch() throws {
        #expect(
            try rows(
                """
                SELECT META().id, HIGHLIGHT(words, 'body', '[', ']') FROM _
                WHERE (MATCH(words, 'fox') OR kind = 2) AND MATCH(words, 'dog') ORDER BY META().id
                """
            ) == [
                [.text("a"), .text("The quick brown [fox] jumps over the lazy dog")], [.text("b"), .missing],
            ])
    }

    @Test("a plan names the indexes whose words are searched, and asks for no others")
    func plans() throws {
        func plan(_ query: String) throws -> QueryPlan { try test.database.createQuery(query as String).explain() }
        let ranked = try plan("SELECT kind FROM _ WHERE MATCH(words, 'dog') AND kind = 1 ORDER BY RANK(words) DESC")
        #expect(ranked.steps.first?.kind == .index && ranked.steps.first?.index == "words")
        #expect(ranked.steps.dropFirst().first?.source == "_" && !ranked.hasScan && ranked.suggestions == [])
        let plain = try plan("SELECT kind FROM _ WHERE MATCH(also, 'dog') AND kind = 1")
        #expect(plain.steps.first?.kind == .lookup && !plain.hasScan && plain.suggestions == [])
        #expect(plain.steps.last?.steps.first?.index == "also")
        #expect("\(plain)".contains("search the words of the index also"))
        let either = try plan("SELECT kind FROM _ WHERE MATCH(words, 'dog') OR kind = 1")
        #expect(either.hasScan && "\(either)".contains("search the words of the index words"))
        let measured = try test.database.createQuery(
            "SELECT RANK(words) FROM _ WHERE MATCH(words, 'dog')" as String
        ).explain(measuring: true)
        #expect(measured.steps.first?.readRowCount == 2)
    }

    @Test("a query that only counts what a MATCH finds reads no document, and counts the same")
    func counted() throws {
        func explained(_ query: String) throws -> QueryPlan {
            try test.database.createQuery(query as String).explain(measuring: true)
        }
        let plan = try explained("SELECT count(*) FROM _ WHERE MATCH(words, 'dog')")
        #expect(plan.steps.map(\.index) == ["words"] && plan.steps.first?.readRowCount == 2, "\(plan)")
        for query in [
            "SELECT count(kind) FROM _ WHERE MATCH(words, 'dog')",
            "SELECT count(*) FROM _ WHERE MATCH(words, 'dog') AND kind = 1",
            "SELECT count(*) FROM _ WHERE MATCH(words, title)", "SELECT RANK(words) FROM _ WHERE MATCH(words, 'dog')",
        ] {
            #expect(try explained(query).steps.contains { $0.source == "_" }, "\(query)")
        }
        func count(_ condition: String, _ parameters: Parameters? = nil) throws -> QueryValue? {
            try rows("SELECT count(*) FROM _ WHERE \(condition)", parameters).first?.first
        }
        try test.save(json: #"{"e": {"title": "zebra"}, "f": {"title": "zebra"}, "g": {"title": "zebra"}}"#)
        #expect(try count("MATCH(words, 'zebra')") == .integer(3))
        try test.collection.delete(document: #require(try test.collection.document(id: "e")))
        try test.collection.purge(id: "f")
        #expect(try count("MATCH(words, 'zebra')") == .integer(1))
        let text = Parameters().setString("dog", forName: "text")
        #expect(try count("MATCH(words, $text)", text) == .integer(2))
        #expect(
            try rows("SELECT count(*) FROM _ WHERE MATCH(words, 'dog') GROUP BY kind") == [
                [.integer(1)], [.integer(1)],
            ])
        #expect(try count("NOT MATCH(words, 'zebra')") == .integer(4))
        #expect(
            try rows("SELECT kind, (SELECT count(*) FROM _ AS x WHERE MATCH(_.words, 'dog')) FROM _ LIMIT 1").count == 1
        )
        #expect(
            try rows("SELECT a.kind FROM _ AS a WHERE EXISTS (SELECT 1 FROM _ AS b WHERE MATCH(a.words, 'croissants'))")
                == [[.integer(1)]])
    }

    @Test("an index tells its definition")
    func definition() throws {
        let found = try #require(try test.collection.index(withName: "words")?.fullText)
        var given = FullTextIndexConfiguration(["title", "body"], ignoreAccents: true, language: "en")
        given.stopWords = .list("english")
        #expect(found == given)
        var other = FullTextIndexConfiguration(["body"], where: "kind = 1", language: "fr")
        (other.stopWords, other.stemming, other.unstemmedPrefixes) = (.words(["le"]), false, false)
        try test.collection.createIndex(withName: "other", config: other)
        #expect(try test.collection.index(withName: "other")?.fullText == other)
        try test.collection.createIndex(withName: "kind", config: ValueIndexConfiguration(["kind"]))
        #expect(try test.collection.index(withName: "kind")?.fullText == nil)
    }

    @Test("the builder makes the same")
    func builder() throws {
        let index = Expression.fullTextIndex("words")
        let query = QueryBuilder.select(SelectResult.expression(Meta.id))
            .from(DataSource.collection(try test.collection))
            .where(FullTextFunction.match(index, query: "dog"))
            .orderBy(Ordering.expression(FullTextFunction.rank(index)).descending())
        #expect(try query.execute().map(\.values) == [[.text("b")], [.text("a")]])
        let made = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("title")).language("de").ignoreAccents(
            true)
        try test.collection.createIndex(made, name: "built")
        let found = try #require(try test.collection.index(withName: "built"))
        #expect(found.expressions == ["title"] && found.language == "de" && found.isLanguageKnown)
        let query2 = QueryBuilder.select(
            SelectResult.expression(FullTextFunction.highlight(Expression.fullTextIndex("built").from("n")))
        )
        .from(DataSource.collection(try test.collection).as("n"))
        .where(FullTextFunction.match(Expression.fullTextIndex("built").from("n"), query: Expression.string("cafe")))
        #expect(try query2.execute().map(\.values) == [[.text("<b>Café</b> culture")]])
    }

    @Test(
        "what can't be is refused with the place and the reason",
        arguments: [
            ("SELECT 1 FROM _ WHERE MATCH(nosuch, 'x')", "no full-text index \"nosuch\""),
            ("SELECT RANK(words) FROM _", "without MATCH"),
            ("SELECT RANK(also) FROM _ WHERE MATCH(words, 'x')", "without MATCH"),
            ("SELECT 1 FROM _ WHERE MATCH(words, '(x')", "character 3"),
            ("SELECT SNIPPET(1) FROM _ WHERE MATCH(words, 'x')", "name of a full-text index"),
            ("SELECT SNIPPET(words, 'nosuch') FROM _ WHERE MATCH(words, 'x')", "no column"),
            ("SELECT 1 FROM _ WHERE MATCH('words', 'x')", "line 1"),
        ])
    func refusals(text: String, reason: String) throws {
        let error = #expect(throws: DatabaseError.self) { try rows(text) }
        #expect(error?.code == .invalidQuery && error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test("an unknown language has plain words and says so; a query goes on after its index was replaced")
    func languages() throws {
        try test.collection.createIndex(withName: "also", config: FullTextIndexConfiguration(["body"], language: "tlh"))
        #expect(try test.collection.index(withName: "also")?.isLanguageKnown == false)
        #expect(try ids("MATCH(also, 'alternative')") == ["d"])
        let query = try test.database.createQuery("SELECT META().id FROM _ WHERE MATCH(also, 'ways')" as String)
        #expect(try query.execute().allResults().count == 1)
        try test.collection.createIndex(withName: "also", config: FullTextIndexConfiguration(["body"], language: "en"))
        #expect(try query.execute().allResults().count == 1)
        try test.collection.deleteIndex(forName: "also")
        #expect(throws: DatabaseError.self) { try query.execute().allResults() }
    }

    @Test("a query of ten thousand words ends", arguments: [" ", " OR ", " NOT ", " NEAR "])
    func manyWords(separator: String) throws {
        let text = (0..<10_000).map { "word\($0)" }.joined(separator: separator)
        #expect(try ids("MATCH(words, $text)", Parameters().setString(text, forName: "text")) == [])
        let nested = String(repeating: "dog OR fox AND cat NOT (", count: 8) + "x" + String(repeating: ")", count: 8)
        #expect(try ids("MATCH(words, $text)", Parameters().setString(nested, forName: "text")) == ["a", "b"])
    }

    @Test("documents that change in a transaction are found in it")
    func transaction() throws {
        try test.database.write { transaction in
            try transaction.save(MutableDocument(id: "e").setString("zebra", forKey: "title"), in: try test.collection)
            #expect(try ids("MATCH(words, 'zebra')") == ["e"])
        }
        #expect(try ids("MATCH(words, 'zebra')") == ["e"])
    }
}
