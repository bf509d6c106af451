import SealiteTestSupport
import Testing

@testable import SealiteJSON

@Suite("edits of JSONB at a path")
struct JSONBEditTests {
    private func jsonb(_ text: String) throws -> [UInt8] { try JSONB.parse(Array(text.utf8), requiresObject: false) }

    private func text(_ bytes: [UInt8]?) throws -> String? {
        try bytes.map { String(decoding: try JSONBSerializer.text(of: $0.span), as: UTF8.self) }
    }

    @Test("random edits give what decoding, editing and encoding gives, byte for byte")
    func oracle() throws {
        var random = SeededRandom()
        var editCount = 0
        for _ in 0..<600 {
            var tree = random.tree(depth: 5)
            var bytes = tree.encoded
            for _ in 0..<12 {
                let (path, value) = (random.path(in: tree), random.tree(depth: 2))
                var changed = tree
                let isChanged: Bool
                let edited: [UInt8]?
                switch random.below(4) {
                case 0:
                    (isChanged, edited) = (
                        changed.set(value, at: path), JSONBEdit.set(value.encoded, at: path, in: bytes)
                    )
                case 1: (isChanged, edited) = (changed.remove(at: path), JSONBEdit.remove(at: path, in: bytes))
                case 2:
                    (isChanged, edited) = (
                        changed.insert(value, at: path), JSONBEdit.insert(value.encoded, at: path, in: bytes)
                    )
                default:
                    (isChanged, edited) = (
                        changed.append(value, to: path), JSONBEdit.append(value.encoded, to: path, in: bytes)
                    )
                }
                #expect(isChanged == (edited != nil), "seed \(random.seed), path \(path)")
                guard isChanged, let edited else { continue }
                editCount += 1
                #expect(edited == changed.encoded, "seed \(random.seed), path \(path)")
                (tree, bytes) = (changed, edited)
                // A path that is long enough to be interesting is rare in what has become small.
                if bytes.count < 40 { break }
            }
        }
        #expect(editCount > 1000, "seed \(random.seed)")
    }

    @Test("each edit, in words")
    func examples() throws {
        let body = try jsonb(#"{"a":{"b":[1,{"c":"x"},3]},"é":true}"#)
        let new = try jsonb(#"[null]"#)
        #expect(
            try text(JSONBEdit.set(new, at: ["a", "b", 1, "c"], in: body))
                == #"{"a":{"b":[1,{"c":[null]},3]},"é":true}"#)
        #expect(
            try text(JSONBEdit.set(new, at: ["a", "d"], in: body))
                == #"{"a":{"b":[1,{"c":"x"},3],"d":[null]},"é":true}"#)
        #expect(try text(JSONBEdit.remove(at: ["a", "b", 1], in: body)) == #"{"a":{"b":[1,3]},"é":true}"#)
        #expect(try text(JSONBEdit.remove(at: ["a"], in: body)) == #"{"é":true}"#)
        #expect(
            try text(JSONBEdit.insert(new, at: ["a", "b", 0], in: body))
                == #"{"a":{"b":[[null],1,{"c":"x"},3]},"é":true}"#)
        #expect(
            try text(JSONBEdit.insert(new, at: ["a", "b", 3], in: body))
                == #"{"a":{"b":[1,{"c":"x"},3,[null]]},"é":true}"#)
        #expect(
            try text(JSONBEdit.append(new, to: ["a", "b"], in: body)) == #"{"a":{"b":[1,{"c":"x"},3,[null]]},"é":true}"#
        )
        #expect(try text(JSONBEdit.set(new, at: [], in: body)) == "[null]")
        let found = JSONBEdit.find(["a", "b", 1, "c"], in: body)
        #expect(found.map { Array(body[$0.start..<$0.end]) } == Array("x".utf8))
    }

    @Test("a path that leads nowhere changes nothing")
    func nowhere() throws {
        let body = try jsonb(#"{"a":{"b":[1]},"é":1}"#)
        let new = try jsonb("1")
        let paths: [[JSONBStep]] = [
            ["x", "y"], ["a", 0], ["a", "b", "c"], ["a", "b", 1], ["a", "b", -1], ["a", "b", 0, 0], ["e\u{301}", "x"],
            [0],
        ]
        for path in paths {
            #expect(JSONBEdit.set(new, at: path, in: body) == nil, "\(path)")
            #expect(JSONBEdit.remove(at: path, in: body) == nil, "\(path)")
            #expect(JSONBEdit.append(new, to: path, in: body) == nil, "\(path)")
        }
        #expect(JSONBEdit.insert(new, at: ["a", "b", 2], in: body) == nil)
        #expect(JSONBEdit.insert(new, at: ["a", "b", -1], in: body) == nil)
        #expect(JSONBEdit.insert(new, at: [], in: body) == nil && JSONBEdit.remove(at: [], in: body) == nil)
        #expect(JSONBEdit.set([0xFF], at: ["a"], in: body) == nil && JSONBEdit.set([], at: ["a"], in: body) == nil)
        #expect(JSONBEdit.set(new + new, at: ["a"], in: body) == nil)
    }

    @Test("a result that is nested deeper than a body may be is refused")
    func depth() throws {
        func nested(_ depth: Int) throws -> [UInt8] {
            try jsonb(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        let path = [JSONBStep](repeating: .item(0), count: 299)
        let body = try nested(300)
        let deepest = try #require(JSONBEdit.append(try nested(200), to: path, in: body))
        #expect(JSONBValidator.isValid(deepest, requiresObject: false))
        #expect(JSONBEdit.append(try nested(201), to: path, in: body) == nil)
        #expect(JSONBEdit.insert(try nested(201), at: path + [0], in: body) == nil)
        let full = try nested(500)
        #expect(JSONBEdit.append([0], to: [JSONBStep](repeating: .item(0), count: 499), in: full) != nil)
        #expect(JSONBEdit.set([0], at: [JSONBStep](repeating: .item(0), count: 501), in: full) == nil)
    }

    @Test("damaged bytes are edited or refused, never read out of bounds")
    func damaged() {
        var random = SeededRandom()
        for _ in 0..<2000 {
            let tree = random.tree(depth: 4)
            var bytes = tree.encoded
            let path = random.path(in: tree)
            bytes[random.below(bytes.count)] = UInt8(random.below(256))
            if random.below(3) == 0 { bytes.removeLast(random.below(bytes.count + 1)) }
            _ = JSONBEdit.set([0], at: path, in: bytes)
            _ = JSONBEdit.remove(at: path, in: bytes)
            _ = JSONBEdit.insert([0], at: path, in: bytes)
            _ = JSONBEdit.append([0], to: path, in: bytes)
            _ = JSONBEdit.find(path, in: bytes)
            _ = JSONBValidator.isValid(bytes, requiresObject: false)
            _ = try? JSONBSerializer.text(of: bytes.span, order: .canonical)
        }
    }
}
