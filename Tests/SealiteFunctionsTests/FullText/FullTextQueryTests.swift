import Testing

@testable import SealiteFunctions

@Suite("the syntax of full-text queries")
struct FullTextQueryTests {
    private func expression(_ text: String) throws -> String {
        let settings = try WordSettings(text: "language english stopwords english")
        return try FullTextQuery(text, columns: ["title", "contact.name"], settings: settings).expression
    }

    @Test(
        "queries become expressions of FTS5",
        arguments: [
            ("fox dog", #"("fox" AND "dog")"#), ("fox AND dog", #"("fox" AND "dog")"#), ("", #""""#), ("*", #""""#),
            (" - ", #""""#),
            ("fox OR dog cat", #"("fox" OR ("dog" AND "cat"))"#),
            ("fox NOT dog NOT cat", #"("fox" NOT ("dog" OR "cat"))"#),
            (#""quick brown fox""#, #""quick" + "brown" + "fox""#), (#""qu* fox""#, #""qu" * + "fox""#),
            ("qu*", #""qu" *"#),
            ("fo*es", #"("fo" * AND "es")"#), ("the fox", #""fox""#), ("the", #""""#), ("the*", #""the" *"#),
            ("fox AND the", #""fox""#), ("fox NOT the", #""fox""#), ("the NOT fox", #""""#),
            (#""over the fox""#, #""fox""#),
            ("title:fox dog", #"(text1 : "fox" AND "dog")"#), ("TITLE:(fox OR dog)", #"text1 : ("fox" OR "dog")"#),
            ("contact.name:fox", #"text2 : "fox""#), ("title:(contact.name:fox)", #"text1 : (text2 : "fox")"#),
            ("song:fox", #"("song" AND "fox")"#),
            ("fox NEAR dog", #"NEAR("fox" "dog", 10)"#), ("fox NEAR/2 dog", #"NEAR("fox" "dog", 2)"#),
            ("a1 NEAR b1 NEAR/3 c1", #"(NEAR("a1" "b1", 10) AND NEAR("b1" "c1", 3))"#),
            ("^quick fox", #"(^ "quick" AND "fox")"#), ("^quick NEAR the", #"^ "quick""#),
            ("jane.doe", #"("jane" AND "doe")"#), ("東京", #""東" + "京""#),
            ("(fox OR dog) cat", #"(("fox" OR "dog") AND "cat")"#),
            ("and or not near", #""near""#), ("title:fox NEAR title:dog", #"text1 : NEAR("fox" "dog", 10)"#),
            ("title:fox NEAR contact.name:dog", #""""#), ("NEARBY ANDROID", #"("NEARBY" AND "ANDROID")"#),
        ])
    func translations(text: String, expected: String) throws { #expect(try expression(text) == expected) }

    @Test(
        "a malformed query says where",
        arguments: [
            ("\"", 1), ("fox \"dog", 5), ("(fox", 5), ("fox)", 4), ("AND fox", 1), ("fox AND", 8), ("fox OR OR dog", 8),
            ("NOT fox", 1),
            ("fox NEAR", 9), ("NEAR fox", 1), ("fox NEAR (dog)", 10), ("()", 2), ("title:", 7), ("é \"x", 3),
            ("fox NOT AND", 9),
            ("(((((((((fox)))))))))", 9),
        ])
    func malformed(text: String, position: Int) throws {
        let failure = try #require(throws: FullTextQuery.Failure.self) { try expression(text) }
        #expect(failure.position == position, "\(failure)")
    }

    @Test("ten thousand words are taken, and more than there may be are refused")
    func many() throws {
        let words = (0..<10_000).map { "word\($0)" }
        for separator in [" ", " OR ", " AND ", " NOT ", " NEAR "] {
            #expect(try !expression(words.joined(separator: separator)).isEmpty)
        }
        let tooMany = Array(repeating: "x1", count: 20_000).joined(separator: " ")
        #expect(throws: FullTextQuery.Failure.self) { try expression(tooMany) }
    }
}
