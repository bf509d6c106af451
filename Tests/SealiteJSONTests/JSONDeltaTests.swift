import SealiteTestSupport
import Testing

@testable import SealiteJSON

@Suite("deltas between bodies")
struct JSONDeltaTests {
    private func jsonb(_ text: String) throws -> [UInt8] { try JSONB.parse(Array(text.utf8), requiresObject: false) }

    private func made(from old: [UInt8], to new: [UInt8], limit: Int = 1 << 20) throws -> [UInt8]? {
        try JSONDelta.make(from: old.span, to: new.span, limit: limit)
    }

    private func applied(_ delta: [UInt8], to old: [UInt8], limit: Int = 1 << 20) throws -> [UInt8] {
        try JSONDelta.apply(delta, to: old.span, limit: limit)
    }

    private func canonical(_ body: [UInt8]) throws -> String {
        String(decoding: try JSONBSerializer.text(of: body.span, order: .canonical), as: UTF8.self)
    }

    private func delta(_ old: String, _ new: String) throws -> String? {
        try made(from: jsonb(old), to: jsonb(new))
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private func applied(_ delta: String, to old: String) throws -> String {
        let body = try applied(Array(delta.utf8), to: jsonb(old))
        return String(decoding: try JSONBSerializer.text(of: body.span), as: UTF8.self)
    }

    static let fog = "The fog comes on little cat feet, and it sits looking over harbor and city on silent haunches"
    static let dog = "The dog comes on little cat feet, and it sits looking over harbor and city on silent haunches"

    /// A body, another one, and the delta from the first to the second.
    static let examples: [(String, String, String)] = [
        ("{}", "{}", "{}"),
        (#"{"a":1,"b":[{}]}"#, #"{"b":[{}],"a":1}"#, "{}"),
        (
            #"{"age":8,"grade":3,"name":{"first":"Bobby","last":"Briggs"}}"#,
            #"{"age":18,"name":{"first":"Robert","last":"Briggs"}}"#,
            #"{"age":18,"name":{"first":"Robert"},"grade":[]}"#
        ),
        (#"{"a":[1,2,3]}"#, #"{"a":[1,2,3,4,5]}"#, #"{"a":{"3-":[4,5]}}"#),
        (#"{"a":[1,2,3]}"#, #"{"a":[]}"#, #"{"a":[[]]}"#),
        (#"{"a":[1,2,3,4]}"#, #"{"a":[1,2]}"#, #"{"a":[[1,2]]}"#),
        (#"{"a":["first item",2,3]}"#, #"{"a":["first item"]}"#, #"{"a":{"1-":[]}}"#),
        (#"{"a":[1,2,3,4]}"#, #"{"a":[1,7,3,4]}"#, #"{"a":{"1":7}}"#),
        (#"{"a":[1,2,3,4,5]}"#, #"{"a":[0,1,2,3,4,5]}"#, #"{"a":[[0,1,2,3,4,5]]}"#),
        (#"{"a":["first item",2,3,4]}"#, #"{"a":["first item",0,2,3,4]}"#, #"{"a":{"1-":[0,2,3,4]}}"#),
        (#"{"a":[{"b":1,"c":"long enough"}]}"#, #"{"a":[{"b":2,"c":"long enough"}]}"#, #"{"a":{"0":{"b":2}}}"#),
        ("{}", #"{"bar":{"baz":9}}"#, #"{"bar":[{"baz":9}]}"#),
        (#"{"a":1}"#, #"{"a":[1]}"#, #"{"a":[[1]]}"#),
        (#"{"a":1}"#, #"{"a":1.0}"#, #"{"a":1.0}"#),
        (#"{"a":1000}"#, #"{"a":1e3}"#, #"{"a":1e3}"#),
        (#"{"a":0.0}"#, #"{"a":-0.0}"#, #"{"a":-0.0}"#),
        (#"{"a":9007199254740993}"#, #"{"a":9007199254740992}"#, #"{"a":9007199254740992}"#),
        (#"{"a":null}"#, #"{"a":false}"#, #"{"a":false}"#),
        // The description of a blob is written whole.
        (
            #"{"a":{"@type":"blob","digest":"sha1-one","length":1},"b":[{"@type":"blob","digest":"sha1-one"}]}"#,
            #"{"a":{"@type":"blob","digest":"sha1-two","length":1},"b":[{"@type":"blob","digest":"sha1-two"}]}"#,
            #"{"a":[{"@type":"blob","digest":"sha1-two","length":1}],"b":[[{"@type":"blob","digest":"sha1-two"}]]}"#
        ),
        (#"{"a":{"@type":"blot","n":1}}"#, #"{"a":{"@type":"blot","n":2}}"#, #"{"a":{"n":2}}"#),
        (#"{"a":{"0":1,"1-":2}}"#, #"{"a":{"0":3,"1-":2}}"#, #"{"a":{"0":3}}"#),
        (#"{"t":"\#(fog)"}"#, #"{"t":"\#(dog)"}"#, #"{"t":["4=1-1+d|88=",0,2]}"#),
        (#"{"t":"short"}"#, #"{"t":"shirt"}"#, #"{"t":"shirt"}"#),
        (#"{"a":"x"}"#, #"{"a":"\"\n\u007f"}"#, #"{"a":"\"\n\u007f"}"#),
    ]

    @Test("a change of a member with an empty name is refused where it isn't allowed")
    func emptyNames() throws {
        let old = try jsonb(#"{"a":{"":1,"b":2}}"#)
        for delta in [#"{"a":{"":[]}}"#, #"{"a":{"b":3,"":2}}"#, #"{"":{}}"#] {
            #expect(throws: JSONDeltaError.emptyName) {
                try JSONDelta.apply(Array(delta.utf8), to: old.span, limit: 1_000, allowsEmptyNames: false)
            }
        }
        #expect(try applied(#"{"a":{"":[]}}"#, to: #"{"a":{"":1,"b":2}}"#) == #"{"a":{"b":2}}"#)
        let whole = try JSONDelta.apply(
            Array(#"{"a":[{"":7}]}"#.utf8), to: old.span, limit: 1_000, allowsEmptyNames: false)
        #expect(try canonical(whole) == #"{"a":{"":7}}"#)
    }

    @Test("each kind of change has the delta that the format describes", arguments: examples)
    func example(_ old: String, _ new: String, _ expected: String) throws {
        #expect(try delta(old, new) == expected)
        let body = try applied(Array(expected.utf8), to: jsonb(old))
        #expect(try canonical(body) == canonical(jsonb(new)))
    }

    @Test("forms that Sealite doesn't write are read")
    func read() throws {
        #expect(try applied(#"{"a":[1,2]}"#, to: #"{"a":1,"b":0}"#) == #"{"a":2,"b":0}"#)
        #expect(try applied(#"{"a":[1,0,0]}"#, to: #"{"a":1,"b":0}"#) == #"{"b":0}"#)
        #expect(try applied(#"{"a":[[7]]}"#, to: #"{"b":0}"#) == #"{"b":0,"a":[7]}"#)
        #expect(try applied(#"[{"c":3}]"#, to: #"{"a":1}"#) == #"{"c":3}"#)
        #expect(try applied("{}", to: #"{"a":1}"#) == #"{"a":1}"#)
        #expect(try applied(#"{"a":{}}"#, to: #"{"a":1}"#) == #"{"a":1}"#)
        #expect(try applied(#"{"a":{"2":0,"0":9}}"#, to: #"{"a":[1,2,3]}"#) == #"{"a":[9,2,0]}"#)
        #expect(try applied(#"{"a":{"1-":[],"0":9}}"#, to: #"{"a":[1,2,3]}"#) == #"{"a":[9]}"#)
        #expect(try applied(#"{"a":{"3-":[4]}}"#, to: #"{"a":[1,2,3]}"#) == #"{"a":[1,2,3,4]}"#)
        #expect(try applied(#"{"a":["1=1-2+é|",0,2]}"#, to: #"{"a":"xy"}"#) == #"{"a":"xé"}"#)
        #expect(try applied(#"{"a":["2=1+\"|",0,2]}"#, to: #"{"a":"xy"}"#) == #"{"a":"xy\""}"#)
    }

    /// A delta, and the reason for which the body `{"o":{"k":1},"l":[1,2,3],"t":"é","n":4}` refuses it.
    static let refused: [(String, JSONDeltaError.Reason)] = [
        ("7", .notAnObject), ("[7]", .notAnObject), (#""x""#, .notAnObject), ("[]", .notAnObject),
        (#"[[1,2,3],0,0]"#, .notAnObject),
        (#"{"n":{"a":1}}"#, .membersOfScalar), (#"{"t":{"0":1}}"#, .membersOfScalar),
        (#"{"x":{"a":1}}"#, .missingValue), (#"{"x":{}}"#, .missingValue), (#"{"x":[]}"#, .missingValue),
        (#"{"x":[1,2]}"#, .missingValue), (#"{"x":["1=",0,2]}"#, .missingValue), (#"{"o":{"z":[]}}"#, .missingValue),
        (#"{"n":[1,2,3,4]}"#, .unknownForm), (#"{"n":[1,0,3]}"#, .unknownForm), (#"{"n":[1,0,null]}"#, .unknownForm),
        (#"{"n":[1,0,22]}"#, .unknownForm), (#"{"n":[1,0,2.0]}"#, .unknownForm),
        (#"{"l":{"3":1}}"#, .unknownIndex), (#"{"l":{"01":1}}"#, .unknownIndex), (#"{"l":{"":1}}"#, .unknownIndex),
        (#"{"l":{"-":[]}}"#, .unknownIndex), (#"{"l":{"-1":1}}"#, .unknownIndex), (#"{"l":{"4-":[]}}"#, .unknownIndex),
        (#"{"l":{"9999999999":1}}"#, .unknownIndex), (#"{"l":{"x":1}}"#, .unknownIndex),
        (#"{"l":{"1":[]}}"#, .removedItem), (#"{"l":{"1":[2,0,0]}}"#, .removedItem),
        (#"{"l":{"1-":7}}"#, .remainder), (#"{"l":{"1-":[],"2":0}}"#, .remainder),
        (#"{"l":{"1-":[],"2-":[]}}"#, .remainder),
        (#"{"n":["1=",0,2]}"#, .notText), (#"{"t":[1,0,2]}"#, .notText),
        (#"{"t":["",0,2]}"#, .textOperations), (#"{"t":["1=",0,2]}"#, .textOperations),
        (#"{"t":["3=",0,2]}"#, .textOperations), (#"{"t":["2",0,2]}"#, .textOperations),
        (#"{"t":["2=2=",0,2]}"#, .textOperations), (#"{"t":["=",0,2]}"#, .textOperations),
        (#"{"t":["-2=",0,2]}"#, .textOperations), (#"{"t":["2=5+ab|",0,2]}"#, .textOperations),
        (#"{"t":["2=2+ab",0,2]}"#, .textOperations), (#"{"t":["9999999999=",0,2]}"#, .textOperations),
        (#"{"t":["2-999999999+x|",0,2]}"#, .textOperations), (#"{"t":["2= ",0,2]}"#, .textOperations),
        (#"{"t":["1=1-",0,2]}"#, .notUTF8), (#"{"t":["1=1+a|1=",0,2]}"#, .notUTF8),
    ]

    @Test("a delta that doesn't fit is refused with its reason", arguments: refused)
    func refusal(_ delta: String, _ reason: JSONDeltaError.Reason) throws {
        #expect(throws: JSONDeltaError.inapplicable(reason)) {
            try applied(delta, to: #"{"o":{"k":1},"l":[1,2,3],"t":"é","n":4}"#)
        }
    }

    @Test("every reason for a refusal has a case")
    func reasons() {
        #expect(Set(Self.refused.map(\.1)) == Set(JSONDeltaError.Reason.allCases))
    }

    @Test("text that isn't JSON, names a member twice or is too deep is refused as malformed")
    func malformed() throws {
        let deep = String(repeating: #"{"a":"#, count: 501) + "1" + String(repeating: "}", count: 501)
        for delta in ["", "{", "{}x", #"{"a":1,"a":2}"#, #"{"a":"\ud800"}"#, deep] {
            #expect {
                try applied(delta, to: "{}")
            } throws: { error in
                guard case JSONDeltaError.malformed = error else { return false }
                return true
            }
        }
    }

    @Test("a delta whose result exceeds the limit is refused, and one that would itself exceed it isn't made")
    func limit() throws {
        let old = try jsonb(#"{"a":"0123456789"}"#)
        let delta = Array(#"{"b":"0123456789"}"#.utf8)
        let whole = try applied(delta, to: old, limit: 100)
        #expect(throws: JSONDeltaError.tooLarge) { try applied(delta, to: old, limit: whole.count - 1) }
        #expect(try applied(delta, to: old, limit: whole.count) == whole)
        #expect(try made(from: old, to: whole, limit: delta.count) == delta)
        #expect(try made(from: old, to: whole, limit: delta.count - 1) == nil)
    }

    @Test("a damaged body is refused, whether it is the old one or the new one")
    func damagedBodies() throws {
        let body = try jsonb(#"{"a":[1,{"b":"0123456789"}]}"#)
        let other = try jsonb(#"{"a":[2,{"b":"9876543210","c":1}]}"#)
        for cut in 0..<body.count {
            let part = Array(body[..<cut])
            #expect(throws: (any Error).self) { try made(from: part, to: other) }
            #expect(throws: (any Error).self) { try made(from: other, to: part) }
            #expect(throws: JSONDeltaError.damagedBase) { try applied(Array(#"{"a":{"1":{"b":2}}}"#.utf8), to: part) }
        }
    }

    @Test("random bodies and their edits: the delta gives the new body and is no larger than it")
    func oracle() throws {
        var random = SeededRandom()
        var (textual, shorter) = (0, 0)
        for _ in 0..<TestScale.delta {
            let old = random.body()
            let new = random.below(10) == 0 ? random.body() : random.edited(old)
            let (oldBytes, newBytes) = (old.encoded, new.encoded)
            let wholeCount = try JSONBSerializer.text(of: newBytes.span).count
            let delta = try #require(try made(from: oldBytes, to: newBytes, limit: .max >> 1), "seed \(random.seed)")
            let text = String(decoding: delta, as: UTF8.self)
            let result = try applied(delta, to: oldBytes, limit: 1 << 30)
            #expect(try canonical(result) == canonical(newBytes), "seed \(random.seed): \(text)")
            #expect(JSONBValidator.isValid(result), "seed \(random.seed)")
            if delta.count < wholeCount { shorter += 1 }
            if text.contains(#"|",0,2]"#) || text.contains(#"=",0,2]"#) { textual += 1 }
        }
        #expect(shorter > TestScale.delta / 2, "seed \(random.seed)")
        #expect(textual > TestScale.delta / 100, "seed \(random.seed)")
    }

    @Test("a long text with several changes far apart is sent as those changes, and no character is split")
    func farApart() throws {
        var random = SeededRandom()
        for script in ["abcdefgh ", "äöüßéè ñ", "日本語の文章 ", "приветмир ", "😀😃👍🏽 👨‍👩‍👧"] {
            let letters = Array(script.unicodeScalars)
            var old = String.UnicodeScalarView()
            for _ in 0..<6000 { old.append(letters[random.below(letters.count)]) }
            var changed = Array(old)
            for place in stride(from: 500, to: 5500, by: 1000) { changed[place] = "€" }
            changed.removeSubrange(2100..<2120)
            changed.insert(contentsOf: "¿qué?".unicodeScalars, at: 3300)
            var new = String.UnicodeScalarView()
            new.append(contentsOf: changed)
            let (oldText, newText) = (Tree.string(String(old)).encoded, Tree.string(String(new)).encoded)
            let delta = try #require(try made(from: oldText, to: newText))
            // Seven changes, each with two copies and an insertion, and what the anchors don't align.
            #expect(delta.count < 700, "\(script): \(delta.count)")
            let container = try jsonb(#"{"t":0}"#)
            let body = try #require(JSONBEdit.set(oldText, at: ["t"], in: container))
            let result = try applied(Array(#"{"t":"#.utf8) + delta + [0x7D], to: body)
            #expect(try result == #require(JSONBEdit.set(newText, at: ["t"], in: container)))
        }
    }
}

/// How many rounds the random tests of deltas have.
private enum TestScale {
    static let delta = Effort.current == .soak ? 1_000_000 : 4_000
}

/// Random bodies as applications have them, and edits of them.
extension SeededRandom {
    mutating func body() -> Tree {
        guard case .object(let members) = tree(depth: 4) else { return body() }
        return .object(members + [Tree.Member(name: "text", value: .string(sentence()))])
    }

    /// A text of some hundred characters in one of several scripts.
    mutating func sentence() -> String {
        let words = [
            "the", "fog", "over", "harbour", "größe", "señor", "日本語", "文章", "привет", "мир", "👨‍👩‍👧", "\"", "a\nb",
        ]
        return (0..<(5 + below(60))).map { _ in words[below(words.count)] }.joined(separator: " ")
    }

    /// A tree with up to five changes somewhere.
    mutating func edited(_ old: Tree) -> Tree {
        var tree = old
        for _ in 0...below(5) {
            var path = self.path(in: tree)
            if path.isEmpty { path = ["text"] }
            switch below(6) {
            case 0: _ = tree.remove(at: path)
            case 1: _ = tree.insert(self.tree(depth: 2), at: path)
            case 2: _ = tree.append(self.tree(depth: 2), to: path)
            case 3: _ = tree.set(self.tree(depth: 3), at: path)
            default:
                guard case .object(let members) = tree, let index = members.firstIndex(where: { $0.name == "text" }),
                    case .string(let text) = members[index].value
                else { continue }
                var scalars = Array(text.unicodeScalars)
                let place = below(scalars.count + 1)
                scalars.insert(contentsOf: sentence().unicodeScalars.prefix(below(30)), at: place)
                let cut = below(scalars.count + 1)
                scalars.removeSubrange(cut..<min(scalars.count, cut + below(20)))
                var changed = String.UnicodeScalarView()
                changed.append(contentsOf: scalars)
                _ = tree.set(.string(String(changed)), at: ["text"])
            }
        }
        return tree
    }
}
