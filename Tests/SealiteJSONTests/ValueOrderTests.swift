import SealiteTestSupport
import Testing

@testable import SealiteJSON

@Suite("the order of values")
struct ValueOrderTests {
    private func compare(_ left: String?, _ right: String?, _ order: ValueOrder) throws -> Int {
        let a = try left.map { try JSONB.parse(Array($0.utf8), requiresObject: false) } ?? []
        let b = try right.map { try JSONB.parse(Array($0.utf8), requiresObject: false) } ?? []
        return order.compare(JSONBElement(root: a.span), in: a.span, JSONBElement(root: b.span), in: b.span)
    }

    private func expectAscending(_ texts: [String?], _ order: ValueOrder) throws {
        for (left, a) in texts.enumerated() {
            for (right, b) in texts.enumerated() {
                let result = try compare(a, b, order).signum()
                #expect(result == (left - right).signum(), "\(a ?? "missing") \(b ?? "missing")")
            }
        }
    }

    @Test("SQL++: missing, null, false, true, numbers, strings, arrays, objects")
    func queries() throws {
        try expectAscending(
            [
                nil, "null", "false", "true", "-1e400", "-1", "0", "0.5", "9007199254740992", "9007199254740993",
                "1e400", #""""#,
                #""A""#, #""a""#, #""aa""#, #""é""#, #""日""#, #""😀""#, "[]", "[null]", "[false,1]", "[1]",
                "[1,0]", "[2]", "[[]]", "{}", #"{"b":1}"#, #"{"b":2}"#, #"{"c":0}"#, #"{"a":1,"b":1}"#,
                #"{"a":1,"c":0}"#,
            ], .queries)
        #expect(try compare(#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, .queries) == 0)
        #expect(try compare(#"[1,{"a":1.0}]"#, #"[1.0,{"a":1}]"#, .queries) == 0)
    }

    @Test("MongoDB: missing, null, numbers, strings, objects, arrays, booleans; members as they are stored")
    func mongo() throws {
        try expectAscending(
            [
                nil, "null", "-1", "0", "1.5", #""""#, #""A""#, #""a""#, #""é""#, "{}",
                // Of each pair the type of the value counts before the name.
                #"{"z":null}"#, #"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"a":2}"#, #"{"b":0}"#, #"{"b":2,"a":1}"#,
                #"{"a":"x"}"#, "[]",
                "[1]", "[1,1]", "[2]", "[[]]", "[false]", "false", "true",
            ], .mongo)
        #expect(try compare(#"{"a":1}"#, #"{"a":1.00}"#, .mongo) == 0)
    }

    @Test("strings that JSON escapes and others are compared by their bytes")
    func strings() throws {
        for order in [ValueOrder.queries, .mongo] {
            try expectAscending(
                [#""\t""#, #"" ""#, #""\"""#, #""a""#, #""a\n""#, #""ab""#, #""\u007f""#, #""é""#], order)
        }
    }

    @Test("every two and three values have one order, damaged ones too")
    func total() {
        var random = SeededRandom()
        for order in [ValueOrder.queries, .mongo] {
            let values = (0..<60).map { index in
                var bytes = random.tree(depth: 3).encoded
                if index.isMultiple(of: 3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
                return bytes
            }
            let results = values.map { left in
                values.map { right in
                    order.compare(
                        JSONBElement(root: left.span), in: left.span, JSONBElement(root: right.span), in: right.span
                    )
                    .signum()
                }
            }
            for a in values.indices {
                for b in values.indices {
                    #expect(results[a][b] == -results[b][a], "seed \(random.seed)")
                    for c in values.indices where results[a][b] <= 0 && results[b][c] <= 0 {
                        #expect(results[a][c] <= 0, "seed \(random.seed)")
                    }
                }
            }
        }
    }

    @Test("bytes that are nested without end are compared without overflowing")
    func deep() {
        var bytes: [UInt8] = []
        let depth = 100_000
        for level in (0..<depth).reversed() {
            bytes.append(0xEB)
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: (level * 5) >> shift)) }
        }
        let root = JSONBElement(root: bytes.span)
        for order in [ValueOrder.queries, .mongo] {
            #expect(order.compare(root, in: bytes.span, root, in: bytes.span) == 0)
        }
    }
}
