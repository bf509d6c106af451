import Testing

@testable import SealiteFunctions

@Suite("the tokenizer of full-text search")
struct WordTokenizerTests {
    private func tokens(
        _ bytes: [UInt8], _ settings: String = "", _ purpose: WordTokenizer.Purpose = .document
    ) throws -> [String] {
        let tokenizer = WordTokenizer(try WordSettings(text: settings))
        var found: [String] = []
        unsafe bytes.withUnsafeBufferPointer { text in
            unsafe tokenizer.forEachWord(in: text, purpose) { word in
                let token = unsafe String(decoding: word.token, as: UTF8.self)
                let second = unsafe String(decoding: word.word, as: UTF8.self)
                found.append(second.isEmpty ? token : "\(token)/\(second)")
                return true
            }
        }
        return found
    }

    private func tokens(
        _ text: String, _ settings: String = "", _ purpose: WordTokenizer.Purpose = .document
    ) throws -> [String] { try tokens(Array(text.utf8), settings, purpose) }

    @Test(
        "words are letters, digits and marks, in lower case",
        arguments: [
            ("Hello, World-42!", ["hello", "world", "42"]),
            ("jane.doe@example.com", ["jane", "doe", "example", "com"]),
            ("Straße ÉCOLE Ωmega", ["straße", "école", "ωmega"]), ("", []), ("…—\u{0}!", []), ("हिन्दी में", ["हिन्दी", "में"]),
            ("東京タワー tower", ["東", "京", "タ", "ワ", "ー", "tower"]), ("한국어", ["한국어"]), ("\u{301}a", ["a"]),
        ])
    func words(text: String, expected: [String]) throws { #expect(try tokens(text) == expected) }

    @Test("a letter and its accent are one, composed or not, and without the accent where accents are ignored")
    func accents() throws {
        #expect(try tokens("cafe\u{301} CAFÉ") == ["café", "café"])
        #expect(try tokens("e\u{302}\u{301}x ếx") == ["ếx", "ếx"])
        #expect(try tokens("cafe\u{301} CAFÉ Hâkimler ế", "accents ignore") == ["cafe", "cafe", "hakimler", "e"])
        #expect(try tokens("שָׁלוֹם", "accents ignore") == ["שלום"])
    }

    @Test(
        "two texts have the same words if these are equal and in the same order",
        arguments: [
            ("Hello, World", "hello world!", true), ("hello", "hello world", false), ("hello world", "hello", false),
            ("", "… !", true), ("", "a", false), ("a", "", false), ("hello", "hell", false), ("hell", "hello", false),
            ("ab c", "a bc", false), ("a b", "b a", false), ("cafe\u{301}", "CAFÉ", true), ("cafe", "café", false),
        ])
    func sameWords(first: String, second: String, areSame: Bool) {
        #expect(TextWords(Array(first.utf8), ignoresAccents: false).areThose(of: Array(second.utf8)) == areSame)
    }

    @Test("stems stand for words, and words beside them for prefixes")
    func stems() throws {
        #expect(try tokens("Running dogs run", "language english") == ["run/running", "dog/dogs", "run"])
        #expect(try tokens("Running dogs", "language english prefixes off") == ["run", "dog"])
        #expect(try tokens("Running dogs", "language english", []) == ["run", "dog"])
        #expect(try tokens("Running the", "language english stopwords english", .prefix) == ["running", "the"])
        #expect(try tokens("Auffassungen", "language german prefixes off") == ["auffass"])
    }

    @Test("stop words have no tokens, whichever list they are from")
    func stopWords() throws {
        #expect(try tokens("The search is on", "stopwords english") == ["search"])
        #expect(try tokens("The search is on", "stopwords the,a,") == ["search", "is", "on"])
        #expect(try tokens("Été à Paris", "stopwords french") == ["paris"])
        #expect(try tokens("Ete a Paris", "stopwords french accents ignore") == ["paris"])
    }

    @Test(
        "bytes that aren't UTF-8 separate words",
        arguments: [[0xFF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5]])
    func invalid(bytes: [UInt8]) throws {
        #expect(try tokens(Array("ab".utf8) + bytes + Array("cd".utf8)) == ["ab", "cd"])
        #expect(try tokens(Array("ab".utf8) + bytes) == ["ab"])
    }

    @Test("a long word counts by its first bytes, whatever follows", arguments: ["a", "é", "世", "𝔸"])
    func long(character: Character) throws {
        let found = try tokens(String(repeating: character, count: 1000) + "xyz")
        for word in found.prefix(1000) { #expect(word.utf8.count <= WordTokenizer.maximumByteCount) }
        let mixed = try tokens("a" + String(repeating: "é", count: 200) + String(repeating: "b", count: 50))
        #expect(mixed == ["a" + String(repeating: "é", count: 127)])
    }

    @Test("a word that was seen before gives the same as the first time")
    func cached() throws {
        let words = (0..<20_000).map { "running\($0 % 5000)ing" }
        let text = words.joined(separator: " ")
        let found = try tokens(text, "language english prefixes off")
        #expect(found.count == words.count)
        #expect(Array(found[0..<5000]) == Array(found[15_000..<20_000]))
    }

    @Test(
        "arguments that nobody knows are refused with a reason",
        arguments: [
            "language", "language klingon", "accents maybe", "stopwords x", "a b", "language english language german",
            "prefixes 1", "language ../../etc/passwd",
        ])
    func badSettings(text: String) { #expect(throws: WordSettings.Failure.self) { try WordSettings(text: text) } }

    @Test("settings come back from their text")
    func roundTrip() throws {
        var settings = WordSettings()
        #expect(try WordSettings(text: settings.text) == settings)
        settings.language = "english"
        settings.ignoresAccents = true
        settings.keepsWords = false
        settings.stopWords = ["the", "it's 'x, y'", ""]
        #expect(settings.text == "language english accents ignore stopwords the,it,s,x,y, prefixes off")
        #expect(try WordSettings(text: settings.text).stopWords == ["the", "it", "s", "x", "y"])
        settings.stopWords = [",", "'"]
        #expect(try WordSettings(text: settings.text).stopWords == nil)
    }

    @Test("each language of Couchbase Lite and of Snowball has a stemmer")
    func languages() {
        for code in ["da", "nl", "en_US", "fi", "fr", "de", "hu", "it", "no", "pt", "ro", "ru", "es", "sv", "tr"] {
            #expect(WordSettings.algorithms.contains(WordSettings.languageName(code)), "\(code)")
        }
        #expect(WordSettings.languageName("English") == "english")
        #expect(StemmerVersion.number == StemmerVersion.number && StemmerVersion.number > 0)
    }
}
