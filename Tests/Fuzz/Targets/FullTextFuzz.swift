import CSQLite
import SealiteFile

@testable import SealiteFunctions

/// Texts of MATCH: what is read is an expression that FTS5 takes, and what isn't says where.
@safe final class MatchFuzz: FuzzTarget {
    private let connection: OpaquePointer?
    private let settings: WordSettings

    init() throws {
        settings = try WordSettings(text: "language english stopwords english")
        try SealedVFS.register()
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open(":memory:", &opened)
        guard code == SQLITE_OK,
            unsafe sqlite3_exec(
                opened,
                """
                CREATE VIRTUAL TABLE texts USING fts5(text1, text2, tokenize='sealite \(settings.text)');
                INSERT INTO texts VALUES ('The quick brown fox', 'jumps over the lazy dog'), ('running', 'dogs');
                """, nil, nil, nil) == SQLITE_OK
        else { throw BrokenProperty("there is no table to search") }
        unsafe connection = opened
    }

    deinit { unsafe sqlite3_close(connection) }

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        let text = String(decoding: input, as: UTF8.self)
        let expression: String
        do throws(FullTextQuery.Failure) {
            expression = try FullTextQuery(text, columns: ["title", "a.b"], settings: settings).expression
        } catch {
            let count = text.unicodeScalars.count
            try BrokenProperty.unless((1...count + 1).contains(error.position), "an error lies outside the text")
            return
        }
        var statement: OpaquePointer?
        defer { unsafe sqlite3_finalize(statement) }
        let sql =
            "SELECT rowid, bm25(texts), snippet(texts, -1, '[', ']', '…', 5), query_hits(texts) FROM texts WHERE texts MATCH ?1"
        unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        unsafe sealite_bind_text(statement, 1, expression, CInt(expression.utf8.count))
        var code = SQLITE_ROW
        while code == SQLITE_ROW { code = unsafe sqlite3_step(statement) }
        try BrokenProperty.unless(code == SQLITE_DONE, "FTS5 refuses \(expression) of \(text)")
    }

    /// First inputs: every construct of the syntax, and what is next to it.
    static let seeds: [[UInt8]] = [
        "fox AND dog OR cat NOT the", "\"quick bro* fox\" ^run*", "title:(fox OR a.b:dog) NEAR x",
        "fox NEAR/2 dog NEAR jumps NEAR/99999999999 a.b:over",
        "(((fox)))", "東京 v2.0 jane.doe@example.com", "\"open", "AND OR NOT", "title: NEAR/ near", "é\u{301}\u{0}*:^()",
    ].map { Array($0.utf8) }
}

/// Bytes as texts under settings that the first byte chooses: words lie in the text one behind the other, and come out the same again.
final class WordsFuzz: FuzzTarget {
    private let tokenizers: [WordTokenizer]

    init() throws {
        tokenizers = try [
            "", "accents ignore", "language english stopwords english", "language turkish accents ignore prefixes off",
            "language hungarian stopwords hungarian", "language arabic", "language hindi", "stopwords a,b,",
        ].map { WordTokenizer(try WordSettings(text: $0)) }
    }

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let first = input.first else { return }
        let tokenizer = tokenizers[Int(first & 7)]
        let purpose = WordTokenizer.Purpose(rawValue: first >> 3 & 3)
        let text = Array(input.dropFirst())
        let found = words(text, tokenizer, purpose)
        var end = 0
        for (range, token) in found {
            try BrokenProperty.unless(
                range.lowerBound >= end && range.upperBound <= text.count && !range.isEmpty, "words lie astray")
            end = range.upperBound
            try BrokenProperty.unless((1...1024).contains(token.count), "a token has \(token.count) bytes")
            try BrokenProperty.unless(String(validating: token, as: UTF8.self) != nil, "a token is no UTF-8")
        }
        let again = words(text, tokenizer, purpose)
        try BrokenProperty.unless(
            again.elementsEqual(found) { $0.0 == $1.0 && $0.1 == $1.1 }, "words differ the second time")
    }

    private func words(
        _ text: [UInt8], _ tokenizer: WordTokenizer, _ purpose: WordTokenizer.Purpose
    ) -> [(Range<Int>, [UInt8])] {
        var found: [(Range<Int>, [UInt8])] = []
        unsafe text.withUnsafeBufferPointer { text in
            unsafe tokenizer.forEachWord(in: text, purpose) { word in
                found.append((word.range, unsafe Array(word.token)))
                return true
            }
        }
        return found
    }

    /// First inputs: scripts, marks, signs, and bytes that aren't UTF-8.
    static let seeds: [[UInt8]] =
        [
            "\u{2}The running dogs", "\u{1}Cafe\u{301} É ǻ שָׁלוֹם", "\u{4}megszentségteleníthetetlenségeskedéseitekért",
            "\u{E}हिन्दी में लड़कियाँ",
            "\u{8}東京タワー ｶﾞ 한국어", "\u{13}İstanbul'da kitaplarımızdan", "\u{D}الكتابات مدرسة", "\u{F}a b c aaa",
        ].map { Array($0.utf8) } + [
            [0, 0x61, 0xFF, 0x62, 0xC3], [9, 0x61, 0xCC, 0x81, 0xCC, 0x81, 0xF4, 0x90, 0x80, 0x80],
            [0] + Array(repeating: 0x61, count: 400),
        ]
}
