import Foundation
import SealiteJSON
import SealiteTestSupport
import Testing

@testable import SealiteFunctions

/// -1, 0 or 1 as two strings compare.
func order(_ left: String, _ right: String, _ collation: UnicodeCollation) -> Int {
    let (a, b) = (Array(left.utf8), Array(right.utf8))
    return collation.compare(a.span, b.span).signum()
}

func key(_ text: String, _ collation: UnicodeCollation) -> [UInt8] { key(Array(text.utf8), collation) }

func key(_ bytes: [UInt8], _ collation: UnicodeCollation) -> [UInt8] {
    var key = GrowingBytes()
    collation.appendKey(of: bytes.span, to: &key)
    return key.array
}

@Suite("the Unicode collations")
struct UnicodeCollationTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures")
    private static let all = [(true, true), (true, false), (false, true), (false, false)].flatMap { flags in
        [nil, "sv", "da", "tr", "ru"].map {
            UnicodeCollation(caseSensitive: flags.0, diacriticSensitive: flags.1, locale: $0)
        }
    }

    @Test("every comparison of collation.json")
    func comparisons() throws {
        let data = try Data(contentsOf: Self.folder.appendingPathComponent("Queries/collation.json"))
        let document = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        var count = 0
        for item in try #require(document["cases"] as? [[String: Any]]) {
            guard let compare = item["compare"] as? [String: Any] else { continue }
            let collation = UnicodeCollation(
                caseSensitive: try #require(compare["caseSensitive"] as? Bool),
                diacriticSensitive: try #require(compare["diacriticSensitive"] as? Bool),
                locale: compare["locale"] as? String)
            let (a, b) = (try #require(compare["a"] as? String), try #require(compare["b"] as? String))
            #expect(order(a, b, collation) == compare["result"] as? Int, "\(item["id"] ?? "")")
            #expect(order(b, a, collation) == (compare["result"] as? Int).map { -$0 }, "\(item["id"] ?? "")")
            count += 1
        }
        #expect(count == 33)
    }

    @Test("both orders by Unicode in collation.json")
    func orders() {
        let values = ["Apple", "Aardvark", "Ångström", "Zebra", "äpple"]
        for isCaseSensitive in [true, false] {
            let collation = UnicodeCollation(caseSensitive: isCaseSensitive, diacriticSensitive: true)
            let sorted = values.sorted { order($0, $1, collation) < 0 }
            #expect(sorted == ["Aardvark", "Ångström", "Apple", "äpple", "Zebra"])
        }
    }

    @Test("each 16th string of CLDR's conformance test stands in the order it has them")
    func conformance() throws {
        #expect(try check(Self.folder.appendingPathComponent("Collation/order.txt")) == 11_059)
    }

    /// The path of CLDR's test, which Debian's package unicode-cldr-core contains.
    private static let wholeTest = URL(
        fileURLWithPath: ProcessInfo.processInfo.environment["SEALITE_CLDR"] ?? "/usr/share/unicode/cldr/common"
    ).appendingPathComponent("uca/CollationTest_CLDR_NON_IGNORABLE_SHORT.txt")

    @Test(
        "every string of CLDR's conformance test stands in the order it has them, where it is installed",
        .enabled(if: FileManager.default.fileExists(atPath: wholeTest.path)))
    func wholeConformance() throws { #expect(try check(Self.wholeTest) > 100_000) }

    /// Makes a key for each line of scalars and expects them in order.
    ///
    /// - Returns: the number of lines.
    private func check(_ file: URL) throws -> Int {
        let text = try String(contentsOf: file, encoding: .utf8)
        let collation = UnicodeCollation(caseSensitive: true, diacriticSensitive: true)
        var (last, lastLine, count) = ([UInt8](), Substring(), 0)
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let scalars = line.split(separator: " ").map { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) }
            // UTF-8 has no halves of surrogate pairs.
            guard !scalars.contains(nil) else { continue }
            var string = ""
            string.unicodeScalars.append(contentsOf: scalars.compactMap(\.self))
            let next = key(string, collation)
            if next.lexicographicallyPrecedes(last) { Issue.record("\(lastLine) before \(line)") }
            (last, lastLine, count) = (next, line, count + 1)
        }
        return count
    }

    @Test(
        "keys are what Documentation/Collation.md §3 says",
        arguments: [
            ("unicode", "a", "2275"), ("unicode", "A", "227501010F"), ("unicode", "á", "227501020500"),
            ("unicode", "", ""),
            ("unicode-nocase", "A", "2275"), ("unicode-nodiac", "Á", "22750104"),
            ("unicode-nodiac", "aA", "22752275010204"),
            ("unicode-nocase-nodiac", "Á", "2275"), ("unicode", "中", "FD40CE2D"), ("unicode", "\u{FFFF}", "FEFE"),
            ("unicode-nocase:sv", "ö", "25EAFF03"), ("unicode:sv", "Đ", "22BF010301010401"),
            ("unicode:da", "a", "22750101A4"),
            ("unicode:da", "A", "2275010110"),
        ])
    func layout(name: String, text: String, bytes: String) throws {
        let bytesOfName = Array(name.utf8)
        let collation = UnicodeCollation.named(bytesOfName.span)
        let found = try key(text, #require(collation)).map { String(format: "%02X", $0) }.joined()
        #expect(found == bytes)
    }

    @Test("names that are no collation's are refused, locales without order have the root order")
    func names() {
        for name in [
            "", "unicod", "unicode-", "unicode:", "unicode-nodiac-nocase", "unicode-nocase:", "Unicode",
            "unicode:\u{0}x-",
        ] {
            let found = UnicodeCollation.named(Array(name.utf8).span)
            #expect((found == nil) == !name.hasPrefix("unicode:\u{0}"), "\(name)")
        }
        let long = "unicode:" + String(repeating: "sv_", count: 1000)
        let found = UnicodeCollation.named(Array(long.utf8).span)
        #expect(found.map { order("å", "z", $0) } == -1)
    }

    @Test("ASCII stands in the root order of CLDR: variable characters count")
    func ascii() {
        let expected = "\t\n\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCxXyYzZ"
        let collation = UnicodeCollation(caseSensitive: true, diacriticSensitive: true)
        var random = SeededRandom()
        let sorted = expected.unicodeScalars.shuffled(using: &random).map { String($0) }.sorted {
            order($0, $1, collation) < 0
        }
        #expect(sorted.joined() == expected)
    }

    @Test("the ways for ASCII and for any text agree, and keys stand as strings compare")
    func agreement() {
        var generator = SeededRandom()
        let letters = [
            "a", "A", "b", "á", "Å", "ä", "z", "Z", "-", " ", "\0", "1", "\u{301}", "\u{323}", "ч", "Ч", "中", "ß",
        ]
        for collation in Self.all {
            for round in 0..<300 {
                let usable = round % 2 == 0 ? letters.filter { $0.utf8.count == 1 } : letters
                let texts = (0..<2).map { _ in
                    (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                        usable.randomElement(using: &generator) ?? ""
                    }.joined()
                }
                let (a, b) = (key(texts[0], collation), key(texts[1], collation))
                let byKeys = a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
                #expect(order(texts[0], texts[1], collation) == byKeys, "\(texts)")
                // A tag has no weights, and isn't ASCII.
                #expect(key(texts[0] + "\u{E0001}", collation) == a, "\(texts[0])")
                #expect(a.allSatisfy { $0 > 0 } || !texts[0].utf8.allSatisfy { $0 < 0x80 })
            }
        }
    }

    @Test(
        "what is compared depends on case and diacritics",
        arguments: [
            ("a", "A", -1, 0, -1, 0), ("a", "á", -1, -1, 0, 0), ("á", "A", 1, 1, -1, 0), ("á", "b", -1, -1, -1, -1),
            ("Á", "á", 1, 0, 1, 0), ("résumé", "Resume", 1, 1, -1, 0), ("cote", "coté", -1, -1, 0, 0),
            ("ß", "ss", 1, 1, 0, 0), ("ß", "sT", -1, -1, -1, -1), ("æ", "ae", 1, 1, 0, 0), ("ﬁ", "fi", 1, 0, 0, 0),
            ("co-op", "coop", -1, -1, -1, -1), ("a\u{0}b", "ab", 0, 0, 0, 0), ("", "\u{301}", -1, -1, 0, 0),
            ("한글", "하늘", 1, 1, 1, 1), ("中", "丁", 1, 1, 1, 1), ("𠀀", "中", 1, 1, 1, 1), ("z", "中", -1, -1, -1, -1),
            ("中", "\u{E000}", -1, -1, -1, -1), ("й", "и", 1, 1, 1, 1), ("a", "", 1, 1, 1, 1),
        ])
    func strengths(left: String, right: String, both: Int, noCase: Int, noDiacritics: Int, neither: Int) {
        let results = [(true, true, both), (false, true, noCase), (true, false, noDiacritics), (false, false, neither)]
        for (isCaseSensitive, isDiacriticSensitive, result) in results {
            let collation = UnicodeCollation(
                caseSensitive: isCaseSensitive, diacriticSensitive: isDiacriticSensitive)
            #expect(order(left, right, collation) == result, "\(isCaseSensitive) \(isDiacriticSensitive)")
            #expect(order(right, left, collation) == -result, "\(isCaseSensitive) \(isDiacriticSensitive)")
        }
    }

    @Test(
        "locales have orders of their own",
        arguments: [
            ("sv", "a z å Å ä æ ö ø"), ("sv_FI", "z å ä ö"), ("SV", "z å ä ö"), ("fi", "v w z å ä ö"), ("sv", "y ü z"),
            ("da", "A a Z z Æ æ Ø ø Å å"), ("da", "a z aa"), ("no", "z æ ø å"), ("nb_NO", "z æ ø å"), ("nn", "z æ ø å"),
            ("de", "a ä b o ö z"), ("es", "n ñ Ñ o"), ("es", "nz ña"), ("pl", "a ą b c ć d l ł m z ź ż"),
            ("cs", "c č d h ch i r ř s š z ž"), ("tr", "c ç g ğ h ı I i İ j o ö s ş u ü"), ("hu", "c cs d o ö ő p"),
            ("se", "a á b z å"), ("ru", "9 я a"), ("de", "ss ß st"), ("xx", "a å z"), ("", "a å z"), ("x_y_z", "a å z"),
        ])
    func locales(locale: String, ascending: String) {
        let collation = UnicodeCollation(caseSensitive: true, diacriticSensitive: true, locale: locale)
        let values = ascending.split(separator: " ").map(String.init)
        for (left, right) in zip(values, values.dropFirst()) {
            #expect(order(left, right, collation) < 0, "\(left) before \(right)")
            #expect(key(left, collation).lexicographicallyPrecedes(key(right, collation)), "\(left) before \(right)")
        }
    }

    @Test("the forms of a character are equal, with a mark between letter and accent too")
    func forms() {
        for collation in Self.all {
            #expect(order("å", "a\u{30A}", collation) == 0)
            #expect(order("ạ\u{30A}", "å\u{323}", collation) == 0)
            #expect(order("각", "\u{1100}\u{1161}\u{11A8}", collation) == 0)
            #expect(order("й", "и\u{306}", collation) == 0)
        }
        let swedish = UnicodeCollation(caseSensitive: true, diacriticSensitive: true, locale: "sv")
        #expect(order("a\u{323}\u{30A}", "z", swedish) > 0)
    }

    @Test("decomposing is what Foundation does, for every character of Unicode 15 and for runs of marks")
    func decomposition() {
        var random = SeededRandom()
        let marks = (0x300...0x36F).compactMap(Unicode.Scalar.init)
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 15 else { continue }
            // A sample of what has neither decomposition nor class, all of what has.
            let isPlain = scalar.properties.canonicalCombiningClass == .notReordered && value % 64 != 0
            if isPlain && !(0xC0...0x2FFF).contains(value) && !(0xF900...0x2FFFF).contains(value) { continue }
            var text = String(scalar)
            for _ in 0..<Int(value % 4) { text.unicodeScalars.append(marks.randomElement(using: &random) ?? scalar) }
            let bytes = Array(text.utf8)
            let expected = text.decomposedStringWithCanonicalMapping.unicodeScalars.map(\.value)
            guard CanonicalDecomposition.scalars(of: bytes.span) == expected else {
                Issue.record("U+\(String(value, radix: 16)): \(expected)")
                return
            }
        }
    }

    @Test("bytes that are no UTF-8 stand where U+FFFD stands")
    func malformed() {
        let collation = UnicodeCollation(caseSensitive: true, diacriticSensitive: true)
        let replacement = key("\u{FFFD}", collation)
        for bytes in [[0x80], [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98]] as [[UInt8]] {
            #expect(key(bytes, collation).starts(with: replacement), "\(bytes)")
        }
        #expect(key([0x61, 0xC3, 0x28], collation) == key("a\u{FFFD}(", collation))
        var random = SeededRandom()
        for _ in 0..<2000 {
            let bytes = random.bytes(random.below(41))
            #expect(collation.compare(bytes.span, bytes.span) == 0)
        }
    }

    @Test("a long run of marks takes time in proportion to it")
    func marks() {
        let collation = UnicodeCollation(caseSensitive: true, diacriticSensitive: true, locale: "sv")
        let taken = processorTime {
            for mark in ["\u{F71}", "\u{30A}", "\u{323}\u{30A}", "\u{F72}\u{F71}"] {
                _ = key("a" + String(repeating: mark, count: 20_000), collation)
            }
        }
        #expect(taken < .seconds(30))
    }
}
