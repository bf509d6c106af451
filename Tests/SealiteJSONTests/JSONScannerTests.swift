import SealiteCrypto
import Testing

@testable import SealiteJSON

@Suite("the JSON scanner")
struct JSONScannerTests {
    private static let rules: [(name: String, rules: JSONRules)] = [
        ("documents", .documents), ("messages", .messages), ("records", .records),
    ]

    /// The first error of a value under some rules, nil where it is read to its end.
    private func error(_ text: [UInt8], _ rules: JSONRules) -> JSONError? {
        var scanner = JSONScanner(rules)
        do throws(JSONError) {
            scanner.skipSpace(text.span)
            try scanner.skip(text.span)
            try scanner.end(text.span)
            return nil
        } catch { return error }
    }

    @Test(
        "what is not JSON is refused under all rules, skipped or stored",
        arguments: [
            "", " ", "{", "[1", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "nul", "truex", "01",
            "1.", ".5",
            "1e", "1e+", "+1", "--1", "-", "NaN", "Infinity", "0x10", "\"abc", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"",
            "\"\u{1}\"",
            "\"\\\"", "1 2", "{} {}", "'a'", "[1 2]", "/*x*/1", "\u{FEFF}1", "{\"a\":1]", "[1}", "\"\n\"", "\u{0}",
            "1\u{0}",
        ])
    func malformed(text: String) {
        for (name, rules) in Self.rules {
            let code = error(Array(text.utf8), rules)?.code
            #expect(code == .malformed, "\(name): \(text)")
        }
        #expect(throws: JSONError.self) { try JSONB.parse(Array(text.utf8), requiresObject: false) }
    }

    @Test("bytes that are not UTF-8 are refused in strings and names, under all rules")
    func invalidUTF8() {
        let broken: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ]
        for bytes in broken {
            for (_, rules) in Self.rules {
                for text in [
                    [0x22] + bytes + [0x22], [0x22, 0x5C, 0x6E] + bytes + [0x22],
                    Array("{\"".utf8) + bytes + Array("\":1}".utf8),
                ] {
                    let code = error(text, rules)?.code
                    #expect(code == .malformed, "\(text)")
                }
            }
        }
    }

    @Test(
        "an error in a string has the offset of the first wrong byte, or of the text's end",
        arguments: [(#""ab"#, 3), (#""ab\"#, 4), (#""ab\x""#, 4), (#""ab\u00"#, 7), (#"["\"#, 3)])
    func offsets(text: String, offset: Int) {
        for (name, rules) in Self.rules {
            let found = error(Array(text.utf8), rules)?.offset
            #expect(found == offset, "\(name): \(text)")
        }
    }

    @Test("a lone surrogate is refused or read as U+FFFD, as the rules say")
    func loneSurrogates() throws {
        let cases = [
            (#""\ud83d\ude00""#, "😀"), (#""\ud83d""#, "\u{FFFD}"), (#""\ud83dx""#, "\u{FFFD}x"),
            (#""\udc1f\u0041""#, "\u{FFFD}A"), (#""\ud83d\u0041""#, "\u{FFFD}A"),
            (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
        ]
        for (text, expected) in cases {
            let bytes = Array(text.utf8)
            var scanner = JSONScanner(.messages)
            let read = try scanner.readString(bytes.span)
            #expect(read == expected)
            let isRefused = error(bytes, .documents) != nil
            #expect(isRefused == (expected != "😀"), "\(text)")
        }
    }

    @Test("nesting is taken to the depth of the rules, and refused beyond", arguments: [17, 100, 500])
    func depth(limit: Int) {
        let rules = JSONRules(maximumDepth: limit, loneSurrogates: .refused, duplicateNames: .refused)
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth)
        }
        let (inside, beyond) = (error(nested(limit), rules), error(nested(limit + 1), rules))
        #expect(inside == nil && beyond?.code == .tooDeep && beyond?.offset == limit)
        let far = error([UInt8](repeating: 0x5B, count: 1_000_000), rules)
        #expect(far?.code == .tooDeep)
    }

    @Test("a name twice is refused where the rules say so, and always in JSONB")
    func duplicateNames() throws {
        let text = Array(#"{"a":1,"b":2,"\u0061":3}"#.utf8)
        func names(_ rules: JSONRules) throws(JSONError) -> [String] {
            var names: [String] = []
            var reader = JSONMemberReader<JSONError>(text, rules: rules)
            try reader.object { (name, reader) throws(JSONError) in
                names.append(name)
                _ = try reader.rawValue()
            }
            return names
        }
        #expect(try names(.messages) == ["a", "b", "a"])
        #expect { try names(.records) } throws: { ($0 as? JSONError)?.code == .duplicateName }
        #expect { try JSONB.parse(text) } throws: { ($0 as? JSONError)?.code == .duplicateName }
    }

    @Test("a secret is read without its escapes, and nothing but a string is one")
    func secrets() throws {
        let text = Array(#""\u0061\/b\n\ud83d\ude00é""#.utf8)
        var scanner = JSONScanner(.records)
        let secret = try scanner.secret(text.span)
        let bytes = unsafe secret.withUnsafeBytes { unsafe Array($0) }
        #expect(bytes == Array("a/b\n😀é".utf8) && scanner.position == text.count)
        for other in ["1", "[]", "{}", "null", "true", ""] {
            var scanner = JSONScanner(.records)
            var isRefused = false
            do { _ = try scanner.secret(Array(other.utf8).span) } catch { isRefused = true }
            #expect(isRefused, "\(other)")
        }
    }

    @Test("what is written is read back, whatever characters it has")
    func writer() throws {
        let text = String(String.UnicodeScalarView((0..<0x300).compactMap { Unicode.Scalar($0) })) + "日本😀\u{10FFFF}"
        var writer = JSONTextWriter()
        writer.object { writer in
            writer.name(text)
            writer.array { writer in
                writer.string(text)
                writer.null()
                writer.boolean(true)
                writer.integer(UInt64.max)
                writer.raw("1.50".utf8)
            }
        }
        let stored = try JSONB.parse(writer.bytes)
        #expect(try JSONBSerializer.text(of: stored.span) == writer.bytes)
        var reader = JSONMemberReader<JSONError>(writer.bytes)
        try reader.object { (name, reader) throws(JSONError) in
            #expect(name == text)
            var isFirst = true
            try reader.array(limit: 5) { (reader) throws(JSONError) in
                if isFirst { #expect(try reader.string() == text) } else { _ = try reader.rawValue() }
                isFirst = false
            }
        }
    }
}
