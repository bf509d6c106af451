import Foundation
import Testing

@Suite("full-text search on the command line")
struct FullTextCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        let documents = [
            #"{"title":"Running dogs","body":"The quick brown fox","kind":1}"#,
            #"{"title":"Dog runs","body":"A dog ran; dog dog.","kind":2}"#,
            #"{"title":"Café culture","body":["espresso",{"with":"croissants"}],"kind":1}"#,
        ]
        for (id, document) in zip(["a", "b", "c"], documents) { _ = try run("doc", "put", "a.db", id, document) }
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key"])
    }

    /// The values of the one column of a query's rows.
    private func found(_ condition: String, in file: String = "a.db") throws -> [String] {
        let rows = try run("query", file, "SELECT RAW META().id FROM _ WHERE \(condition) ORDER BY META().id", "--csv")
        #expect(rows.status == 0, "\(rows.err)")
        return rows.out.split(separator: "\n").dropFirst().map(String.init)
    }

    private func makeIndex() throws {
        let made = try run(
            "index", "create", "a.db", "words", "--full-text", "title", "--full-text", "body", "--language", "en",
            "--ignore-accents")
        #expect(made.status == 0 && made.out.hasPrefix("made the index \"words\" over "), "\(made.err)")
    }

    @Test("an index with each option is made and listed with what was said of its words")
    func options() throws {
        try makeIndex()
        try run(
            "index", "create", "a.db", "few", "--full-text", "body", "--where", "kind = 1", "--stop-words", "o'the,fox",
            "--no-unstemmed-prefixes", "--json")
        try run(
            "index", "create", "a.db", "german", "--full-text", "title", "--language", "de", "--stop-words", "de",
            "--no-stemming")
        try run("index", "create", "a.db", "all", "--full-text", "title", "--language", "en", "--stop-words", "none")
        #expect(
            try run("index", "list", "a.db").out == """
                _default._default  all  title  full text  language en
                _default._default  few  body  full text  stop words o,the,fox  no unstemmed prefixes  WHERE kind = 1
                _default._default  german  title  full text  language de  stop words german  no stemming
                _default._default  words  title, body  full text  language en  accents ignored  stop words english

                """)
        let listed = try run("index", "list", "a.db", "--json").out
        #expect(
            listed.contains(
                #""language":"en","fullText":{"ignoreAccents":true,"stopWords":"english","stemming":true,"unstemmedPrefixes":true}}"#
            ))
        #expect(listed.contains(#""stopWords":["o","the","fox"]"#))
        #expect(try found("MATCH(words, 'cafe')") == ["c"] && found("MATCH(all, 'cafe')") == [])
        #expect(try found("MATCH(few, 'quick')") == ["a"] && found("MATCH(few, 'dog OR fox')") == [])
        #expect(try found("MATCH(german, 'dogs')") == ["a"])
        #expect(try run("doc", "put", "a.db", "d", "{}").status == 0)
    }

    @Test("an unknown language is told, and words are found as they are written")
    func unknownLanguage() throws {
        let made = try run("index", "create", "a.db", "words", "--full-text", "title", "--language", "tlh", "--json")
        #expect(made.status == 0 && made.err.contains(#""warning":"no-stemmer""#) && made.err.contains("tlh"))
        #expect(try run("index", "list", "a.db").out.contains("language tlh (no stemmer)"))
        #expect(try found("MATCH(words, 'dogs')") == ["a"])
    }

    @Test(
        "what can't be is refused with the reason",
        arguments: [
            (["--full-text", "title +"], "column 8"), (["--full-text", "title", "--on", "kind"], "together with --on"),
            (["--on", "kind", "--language", "en"], "--stop-words"),
            (["--full-text", "title", "--stop-words", "klingon"], "no list of stop words"),
            (["--full-text", "COUNT(*)"], "aggregates"),
        ])
    func refused(options: [String], reason: String) throws {
        let command = [Tool.path, "index", "create", "a.db", "words"] + options + ["--key-file", "key"]
        let refusal = try place.run(command)
        #expect(refusal.status == 64 && refusal.err.contains(reason), "\(refusal.err)")
        #expect(try run("index", "list", "a.db").out == "")
    }

    @Test("stop words without a letter leave an index that is kept")
    func emptyStopWords() throws {
        #expect(try run("index", "create", "a.db", "words", "--full-text", "title", "--stop-words", "',.").status == 0)
        #expect(try run("doc", "put", "a.db", "d", #"{"title":"zebra"}"#).status == 0)
        #expect(try found("MATCH(words, 'zebra')") == ["d"])
    }

    @Test("rows come by rank with snippets, highlights and hits")
    func excerpts() throws {
        try makeIndex()
        let rows = try run(
            "query", "a.db", "--csv",
            """
            SELECT META().id, SNIPPET(words, 'body') AS s, HIGHLIGHT(words, 'title', '[', ']') AS h
            FROM _ WHERE MATCH(words, $text) ORDER BY RANK(words) DESC
            """, "--param", "text=dog")
        #expect(
            rows.out == """
                id,s,h
                b,A <b>dog</b> ran; <b>dog</b> <b>dog</b>.,[Dog] runs
                a,The quick brown fox,Running [dogs]

                """)
        let hits = try run("query", "a.db", "SELECT HITS(words) AS h FROM _ WHERE MATCH(words, 'croissant')", "--json")
        #expect(hits.out.contains(#"[{"column":"body","term":0,"offset":9,"length":10}]"#))
        let query = "SELECT META().id FROM _ WHERE MATCH(words, 'dog') AND kind = 1 ORDER BY RANK(words) DESC"
        let plan = try run("query", "a.db", query, "--explain", "--measure").out
        #expect(plan.contains("search the words of the index words (rows: 2 read)") && !plan.contains("would help"))
    }

    @Test(
        "a malformed query says where, with exit code 64",
        arguments: [
            ("MATCH(words, '(dog')", "line 1, column 27: the text of MATCH, character 5: a parenthesis isn't closed"),
            ("MATCH(words, $text)", "sealite: the text of MATCH, character 8: a word is missing at the end\n"),
            (
                "MATCH(nosuch, 'dog')",
                "there is no full-text index \"nosuch\"\nhint: existing full-text indexes: \"words\""
            ),
            (
                "SNIPPET(words, 2) = '' AND MATCH(words, 'dog')",
                "the full-text index \"words\" has no column with the number 2"
            ),
            (
                "SNIPPET(words, LENGTH(title)) = '' AND MATCH(words, 'dog')",
                "isn't that of a column of the full-text index"
            ),
            (
                "HIGHLIGHT(words, 'other') = '' AND MATCH(words, 'dog')",
                "the full-text index \"words\" has no column \"other\""
            ),
        ])
    func malformed(condition: String, message: String) throws {
        try makeIndex()
        let parameters = condition.contains("$") ? ["--param", "text=dog AND"] : []
        let query = ["query", "a.db", "SELECT RAW 1 FROM _ WHERE \(condition)", "--key-file", "key"]
        let refusal = try place.run([Tool.path] + query + parameters)
        #expect(refusal.status == 64 && refusal.err.contains(message), "\(refusal.err)")
    }

    @Test("an index lasts through verify, key rotation, backup and salvage, and is gone once it is deleted")
    func lasting() throws {
        try makeIndex()
        #expect(try run("key", "rotate", "a.db").status == 0 && run("backup", "a.db", "copy.db").status == 0)
        #expect(try run("salvage", "a.db", "new.db").status == 0)
        for file in ["a.db", "copy.db", "new.db"] {
            #expect(try found("MATCH(words, 'dog NOT fox')", in: file) == ["b"])
            #expect(try run("verify", file).out.contains("documents  ok\n"))
        }
        #expect(try run("index", "delete", "a.db", "words").status == 0)
        let gone = try run("query", "a.db", "SELECT 1 FROM _ WHERE MATCH(words, 'dog')")
        #expect(gone.status == 64 && gone.err.contains("sealite index create DATABASE NAME --full-text words"))
        #expect(
            try run("sql", "a.db", "SELECT name FROM sqlite_schema WHERE name LIKE 'text%'").out.contains("text")
                == false)
    }
}
