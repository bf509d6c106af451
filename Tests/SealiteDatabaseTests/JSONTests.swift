import SealiteJSON
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("JSON text and JSONB")
struct JSONTests {
    private func roundTrip(_ text: String) throws -> String {
        let bytes = try JSONParser.parse(Array(text.utf8), requiresObject: false)
        #expect(JSONBValidator.isValid(bytes, requiresObject: false), "\(text)")
        return String(decoding: try JSONSerializer.text(of: bytes), as: UTF8.self)
    }

    @Test("a member is taken off JSON text that has its name with an escape")
    func escapedMember() throws {
        let json = Array(#"{"a":1,"\u0062c":{"d":2}}"#.utf8)
        let taken = try #require(try MemberJSON.take("bc", from: json))
        #expect(String(decoding: taken.rest, as: UTF8.self) == #"{"a":1}"#)
        #expect(try MemberJSON.take("bd", from: json)?.rest == nil)
    }

    @Test(
        "compact text comes back byte for byte",
        arguments: [
            "null", "true", "false", "0", "-0", "1.50", "1E5", "-1.0e-10", "9223372036854775808",
            "123456789012345678901234567890.10", "\"\"", "\"a\\\"b\\\\c\\n\\r\\t\"", "\"\\u0001\\u007f\"", "[]", "{}",
            "[1,[2,[3]],{}]", "{\"b\":1,\"a\":[true,null],\"\":{\"é\":\"日本\"}}", "\"\u{10FFFF}\"",
            "{\"z\":1,\"y\":2,\"x\":3,\"w\":4,\"v\":5,\"u\":6,\"t\":7,\"s\":8,\"r\":9,\"q\":10,\"p\":11,\"o\":12,\"n\":13,\"m\":14}",
        ])
    func roundTrips(text: String) throws {
        #expect(try roundTrip(text) == text)
    }

    @Test("white space and optional escapes don't matter")
    func normalizes() throws {
        #expect(try roundTrip(" \n{ \"a\" :\t[ 1 , 2 ]\r} ") == "{\"a\":[1,2]}")
        #expect(try roundTrip("\"\\u0041\\/\\b\\f\"") == "\"A/\\u0008\\u000c\"")
        #expect(try roundTrip("\"\\ud83d\\ude00\"") == "\"😀\"")
    }

    @Test(
        "text that could only be kept by guessing is refused",
        arguments: [
            "", " ", "{", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "nul", "truex", "01", "1.", ".5",
            "1e", "+1", "--1", "NaN", "Infinity", "-Infinity", "0x10", "\"abc", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"",
            "\"\\ud800x\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\u{1}\"", "1 2", "{} {}", "'a'", "[1 2]",
            "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":1,\"\\u0062\":2}}", "/*x*/1", "\u{FEFF}1",
        ])
    func refuses(text: String) {
        #expect(code { _ = try JSONParser.parse(Array(text.utf8), requiresObject: false) } == .invalidJSON, "\(text)")
    }

    @Test("a name that a large object has twice is refused")
    func largeDuplicate() throws {
        let members = (0..<1000).map { "\"key\($0)\":\($0)" }
        _ = try JSONParser.parse(Array("{\(members.joined(separator: ","))}".utf8))
        let text = "{\(members.joined(separator: ",")),\"key500\":1}"
        #expect(code { _ = try JSONParser.parse(Array(text.utf8)) } == .invalidJSON)
    }

    @Test(
        "text that is not UTF-8 is refused",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(code { _ = try JSONParser.parse([0x22] + bytes + [0x22], requiresObject: false) } == .invalidJSON)
        #expect(
            code { _ = try JSONParser.parse([0x22, 0x5C, 0x6E] + bytes + [0x22], requiresObject: false) }
                == .invalidJSON)
    }

    @Test("nesting is taken to 500 levels and refused beyond, however deep")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth)
        }
        let deepest = try JSONParser.parse(nested(500), requiresObject: false)
        #expect(try JSONSerializer.text(of: deepest) == nested(500))
        for depth in [501, 10_000, 1_000_000] {
            #expect(code { _ = try JSONParser.parse(nested(depth), requiresObject: false) } == .invalidJSON)
        }
    }

    @Test(
        "objects of many members cost what their text does, not what was read before them",
        .enabled(if: TestEnvironment.isSoak), .endsIfItHangs)
    func manyLargeObjects() throws {
        let members = (0..<13).map { "\"\(Character(UnicodeScalar(UInt8(97 + $0))))\":0" }.joined(separator: ",")
        let text = "[" + Array(repeating: "{\(members)}", count: 230_000).joined(separator: ",") + "]"
        #expect(try JSONParser.parse(Array(text.utf8), requiresObject: false).count > 10_000_000)
    }

    @Test("a name that is there twice is found in every size of object", arguments: [2, 12, 13, 14, 400])
    func duplicates(count: Int) throws {
        var names = (0..<count).map { "n\($0 * 7919 % 1000)" }
        func text() -> String { "[{}," + "{" + names.map { "\"\($0)\":[{\"x\":1}]" }.joined(separator: ",") + "}]" }
        #expect(try roundTrip(text()) == text())
        for (first, second) in [(0, 1), (0, count - 1), (count / 2 - 1, count - 1)] where first != second {
            let saved = names
            names[second] = names[first]
            #expect(code { _ = try JSONParser.parse(Array(text().utf8), requiresObject: false) } == .invalidJSON)
            names = saved
        }
    }

    @Test("stored bytes that are nested deeper than a document may be are no value, and nothing overflows")
    func deepBytes() {
        for depth in [500, 501, 200_000] {
            var bytes: [UInt8] = []
            // Arrays in arrays: of each a header of five bytes.
            for level in (0..<depth).reversed() {
                bytes.append(0xEB)
                for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: (level * 5) >> shift)) }
            }
            let root = JSONBElement(root: bytes.span)
            #expect((root.flatMap { Value($0, in: bytes, database: nil) } != nil) == (depth <= 500))
            var label = JSONBWriter()
            label.string("a")
            var object: [UInt8] = [0xEC]
            let size = label.count + bytes.count
            for shift in [24, 16, 8, 0] { object.append(UInt8(truncatingIfNeeded: size >> shift)) }
            object += label.bytes + bytes
            #expect(BodyScanner.blobDigests(object).isEmpty)
        }
    }

    @Test("a document must be an object")
    func documentIsObject() {
        for text in ["[]", "1", "\"a\"", "null"] {
            #expect(code { _ = try JSONParser.parse(Array(text.utf8)) } == .invalidJSON)
        }
    }

    @Test("headers are the shortest at every boundary", arguments: [0, 1, 11, 12, 255, 256, 65_535, 65_536])
    func headerBoundaries(count: Int) throws {
        let text = "\"" + String(repeating: "x", count: count) + "\""
        let bytes = try JSONParser.parse(Array(text.utf8), requiresObject: false)
        #expect(bytes.count == count + (count < 12 ? 1 : count < 256 ? 2 : count < 65_536 ? 3 : 5))
        #expect(try roundTrip("[\(text),[\(text)]]") == "[\(text),[\(text)]]")
        #expect(try roundTrip("{\"k\":\(text)}") == "{\"k\":\(text)}")
    }

    @Test("canonical text has sorted keys at every level")
    func canonical() throws {
        let bytes = try JSONParser.parse(
            Array("{\"b\":{\"d\":1,\"c\":2},\"a\":[{\"y\":0,\"x\":0}],\"aa\":1,\"é\":1,\"Z\":1}".utf8))
        let text = String(decoding: try JSONSerializer.text(of: bytes, order: .canonical), as: UTF8.self)
        #expect(text == "{\"Z\":1,\"a\":[{\"x\":0,\"y\":0}],\"aa\":1,\"b\":{\"c\":2,\"d\":1},\"é\":1}")
    }

    @Test("random values survive text, JSONB and values; damaged JSONB is never read out of bounds")
    func randomValues() throws {
        var generator = SeededRandom()
        for _ in 0..<2000 {
            let value = generator.value(depth: 4)
            var writer = JSONBWriter()
            try writer.value(value)
            #expect(JSONBValidator.isValid(writer.bytes, requiresObject: false))
            let text = try JSONSerializer.text(of: writer.bytes)
            let parsed = try JSONParser.parse(text, requiresObject: false)
            #expect(parsed == writer.bytes, "seed \(generator.seed)")
            let root = JSONBElement(root: parsed.span)
            #expect(root.flatMap { Value($0, in: parsed, database: nil) } == value, "seed \(generator.seed)")
            var damaged = parsed
            damaged[Int.random(in: 0..<damaged.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            _ = JSONBValidator.isValid(damaged, requiresObject: false)
            _ = try? JSONSerializer.text(of: damaged, order: .canonical)
            _ = BodyScanner.blobDigests(damaged)
            if let root = JSONBElement(root: damaged.span) { _ = Value(root, in: damaged, database: nil) }
        }
    }
}

extension SeededRandom {
    mutating func text() -> String {
        let alphabet: [Character] = ["a", "b", "é", "日", "😀", "\"", "\\", "\n", "\u{1}", "\u{7F}", " ", "/"]
        return String((0..<below(20)).map { _ in alphabet[below(alphabet.count)] })
    }

    mutating func value(depth: Int) -> Value {
        switch below(depth > 0 ? 8 : 6) {
        case 0: return .null
        case 1: return .boolean(below(2) == 0)
        case 2: return Value(Int64.random(in: .min ... .max, using: &self))
        case 3: return Value(Double.random(in: -1e9...1e9, using: &self))
        case 4: return .number(Number(json: "\(below(1000))\(UInt64.max).\(below(1000))0") ?? Number(0))
        case 5: return .string(text())
        case 6: return .array(ArrayObject((0..<below(6)).map { _ in value(depth: depth - 1) }))
        default:
            var object = DictionaryObject()
            for _ in 0..<below(20) { object[text()] = value(depth: depth - 1) }
            return .dictionary(object)
        }
    }
}
