import Testing

@testable import SealiteQueryLanguage

@Suite("statements as they are typed")
struct StatementTextTests {
    @Test(
        "a text is complete when a semicolon ends it",
        arguments: [
            ("SELECT 1;", true), ("SELECT 1", false), ("SELECT 1;\n", true), ("SELECT 1; -- said", true),
            ("SELECT 1; SELECT", false), ("SELECT 1; SELECT 2;", true), ("", false), ("-- ;", false), ("/* ;", false),
            ("/* ; */ SELECT 1;", true), ("SELECT ';", false), ("SELECT ';';", true), ("SELECT 'it''s;", false),
            ("SELECT \"a;\n", false), ("SELECT `a;", false), ("SELECT `a;`;", true), ("SELECT $`a;", false),
        ])
    func completeness(text: String, isComplete: Bool) {
        #expect(StatementText.isComplete(text) == isComplete)
    }

    @Test(
        "a text that can't become a statement is complete at its semicolon, so that its error is said",
        arguments: ["SELECT #;", "SELECT 1a;", "SELECT $;\n", "SELECT ü;", "SELECT # FROM 'a;"])
    func hopeless(text: String) {
        #expect(StatementText.isComplete(text))
        #expect(!StatementText.isComplete(String(text.split(separator: ";")[0])))
    }

    @Test("a text that is longer than a query may be is complete, and one statement")
    func tooLong() {
        let text = String(repeating: "SELECT 1; ", count: QueryLimits.textByteCount / 10 + 1)
        #expect(StatementText.isComplete(text))
        #expect(StatementText.statements(in: text).count == 1)
    }

    @Test("statements are split at semicolons outside of quotes, and comments alone are none")
    func splitting() {
        #expect(StatementText.statements(in: " SELECT ';'; -- x\n SELECT 2 ;") == ["SELECT ';';", "SELECT 2 ;"])
        #expect(StatementText.statements(in: "SELECT 1;\nSELECT 2") == ["SELECT 1;", "SELECT 2"])
        #expect(StatementText.statements(in: "-- nothing\n/* here */ ").isEmpty)
        #expect(StatementText.statements(in: "SELECT 1; SELECT 'a; b") == ["SELECT 1;", "SELECT 'a; b"])
        #expect(StatementText.statements(in: ";") == [";"])
    }

    @Test("names are quoted where they must be")
    func names() {
        #expect(
            ["notes", "my-notes", "select", "a`b", "1st"].map(StatementText.name) == [
                "notes", "`my-notes`", "`select`", "`a``b`", "`1st`",
            ])
    }
}

@Suite("the word that is being typed")
struct TypedWordTests {
    @Test(
        "the word that is being typed is the one at the end of the text, with its place",
        arguments: [
            ("sel", "sel", TypedWord.Position.anywhere), ("SELECT * FROM no", "no", .source),
            ("SELECT * FROM ", "", .source), ("SELECT * FROM a JOIN ", "", .source), ("UPDATE n", "n", .source),
            ("INSERT INTO ", "", .source), ("SELECT * FROM `my", "`my", .source),
            ("SELECT * FROM work.", "", .member(of: "work")), ("SELECT * FROM work.me", "me", .member(of: "work")),
            ("SELECT * FROM `my-scope`.`me", "`me", .member(of: "my-scope")), ("SELECT a.b FROM x WH", "WH", .anywhere),
            ("SELECT * FROM -- no\n", "", .source),
        ])
    func words(text: String, word: String, place: TypedWord.Position) throws {
        let found = try #require(TypedWord(atEndOf: text))
        #expect(found.text == word && found.place == place)
        #expect(found.name == word.filter { $0 != "`" })
    }

    @Test(
        "there is none in strings, in comments, behind a number or between words",
        arguments: [
            "", "SELECT 'no", "SELECT \"no", "/* no", "SELECT * FROM -- no", "SELECT * FROM work. --", "SELECT 1",
            "SELECT ", "FROM a ", "SELECT (a).", "a #",
        ])
    func none(text: String) {
        #expect(TypedWord(atEndOf: text) == nil)
    }

    @Test("keywords and functions are known")
    func known() {
        #expect(
            Set(["SELECT", "VALUE", "RETURNING", "ARRAY_LENGTH(", "COUNT(", "META("]).isSubset(of: TypedWord.known))
    }
}
