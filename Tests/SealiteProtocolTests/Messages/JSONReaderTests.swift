@testable import SealiteProtocolTestSupport
import Foundation
import SealiteJSON
import SealiteTestSupport
import Testing

@testable import SealiteProtocol

@Suite("JSON reader")
struct JSONReaderTests {
    private func raw(_ text: String) throws -> String {
        var reader = JSONReader(text.utf8)
        let value = try reader.rawValue()
        try reader.end()
        return String(decoding: value, as: UTF8.self)
    }

    @Test(
        "a value is returned as it is written",
        arguments: [
            "0", "-0", "1.0", "12345678901234567890", "3.141592653589793238", "1e400", "-1.5E-7", "true", "false",
            "null", "\"\"", #""a\"b\\c""#, "[]", "{}", "[1,[2,[]],{}]", #"{"a":{"b":[{}]},"c":[]}"#, "[ 1 , 2 ]",
            #"{ "a" : 1 , "b" : [ ] }"#,
        ])
    func rawValues(_ text: String) throws {
        #expect(try raw(text) == text)
        #expect(try raw(" \n\t\r" + text + " ") == text)
    }

    @Test(
        "what is not JSON is refused",
        arguments: [
            "", " ", "01", "-", "1.", ".5", "1e", "+1", "tru", "nul", "\"", "\"a", "\"\\", "\"\n\"", "[", "[1", "[1,",
            "[,]", "[1 2]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{1:2}", "{\"a\" 1}", "]", "}", "[}",
            "{]", "1 2", "[1]]", "{\"a\":}", "{,}", "NaN", "'a'", "{\"a\":1,}", "[1,]",
        ])
    func malformed(_ text: String) {
        #expect(throws: MessageError.self) { try raw(text) }
        #expect(throws: MessageError.self) { try walk(text) }
    }

    /// Reads a value with the typed calls instead of as a whole.
    private func walk(_ text: String) throws {
        var reader = JSONReader(text.utf8)
        try Self.walk(&reader)
        try reader.end()
    }

    private static func walk(_ reader: inout JSONReader) throws(MessageError) {
        switch try reader.peek() {
        case .array: try reader.array(limit: 1_000, walk)
        case .object: try reader.object { (_, reader) throws(MessageError) in try walk(&reader) }
        case .string: _ = try reader.string()
        default: _ = try reader.rawValue()
        }
    }

    @Test("strings lose their escapes")
    func strings() throws {
        let cases = [
            (#""plain ä 🐟""#, "plain ä 🐟"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (#""\u0041\u00e4\ud83d\udc1f""#, "Aä🐟"), (#""\ud83d""#, "\u{fffd}"), (#""\ud83dx""#, "\u{fffd}x"),
            (#""\udc1f\u0041""#, "\u{fffd}A"),
        ]
        for (text, expected) in cases {
            var reader = JSONReader(text.utf8)
            #expect(try reader.string() == expected)
        }
        for text in [#""\x""#, #""\u12""#, #""\u12g4""#, #""\u+123""#] {
            var reader = JSONReader(text.utf8)
            #expect(throws: MessageError(.notJSON, "")) { try reader.string() }
        }
        var reader = JSONReader([0x22, 0xff, 0x22])
        #expect(throws: MessageError(.notJSON, "")) { try reader.string() }
    }

    @Test("depth is limited, and a deep value is refused without recursion")
    func depth() throws {
        let deep = { (count: Int) in String(repeating: "[", count: count) + String(repeating: "]", count: count) }
        #expect(try raw(deep(100)) == deep(100))
        #expect(throws: MessageError(.tooLarge, "")) { try raw(deep(101)) }
        #expect(throws: MessageError(.tooLarge, "")) { try raw(String(repeating: "[", count: 1_000_000)) }
        #expect(throws: MessageError(.tooLarge, "")) { try raw(String(repeating: "{\"a\":", count: 1_000_000)) }
    }

    @Test("what is written is read back, and is JSON to others")
    func writer() throws {
        var writer = JSONWriter()
        let text = "a\"b\\c\u{0}\u{1f}\n ä 🐟"
        writer.object { writer in
            writer.name(text)
            writer.array { writer in
                writer.string(text)
                writer.integer(-5)
                writer.raw("1.0".utf8)
                writer.object { _ in }
                writer.array { _ in }
            }
            writer.name("z")
            writer.integer(UInt64.max)
        }
        let other = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any]
        #expect((other?[text] as? [Any])?.first as? String == text)
        var reader = JSONReader(writer.bytes)
        var names: [String] = []
        try reader.object { (name, reader) throws(MessageError) in
            names.append(name)
            _ = try reader.rawValue()
        }
        #expect(names == [text, "z"])
    }

    @Test("random changes to JSON never crash the reader, and it accepts only what others accept")
    func mutations() throws {
        let acceptedCount = try TestSeed.seeds(4).reduce(0) { try $0 + acceptedMutations(seed: $1) }
        #expect(acceptedCount > 200)
    }

    private func acceptedMutations(seed: UInt64) throws -> Int {
        var random = SeededRandom(seed: seed)
        let valid = Array(#"[1,-2.5e3,"a\u00e4\n",{"b":[true,false,null],"c":{}},[[],""]]"#.utf8)
        let alphabet = Array(#"[]{}",:\u0123e+-. tfnalse"#.utf8) + [0, 0x7f, 0xc3, 0xff]
        var acceptedCount = 0
        for _ in 0..<2_000 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                let byte = alphabet.randomElement(using: &random) ?? 0
                if Bool.random(using: &random) { bytes[index] = byte } else { bytes.insert(byte, at: index) }
            }
            var reader = JSONReader(bytes)
            guard (try? Self.walk(&reader)) != nil, (try? reader.end()) != nil else { continue }
            acceptedCount += 1
            let other = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            // Foundation refuses lone surrogates and numbers out of range, which are JSON all the same.
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(other != nil || text.contains("\\ud") || text.contains("e"), "seed \(seed): \(text)")
        }
        return acceptedCount
    }
}
