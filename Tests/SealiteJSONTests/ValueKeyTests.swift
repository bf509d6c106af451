import SealiteTestSupport
import Testing

@testable import SealiteJSON

@Suite("keys in the order of values")
struct ValueKeyTests {
    private static let orders = [ValueOrder.queries, .mongo]

    /// The key of an element, or of a missing one; nil where it is damaged.
    private func key(_ bytes: [UInt8]?, _ order: ValueOrder) -> [UInt8]? {
        let bytes = bytes ?? []
        var isSound = true
        let key = [UInt8](capacity: ValueKey.maximumByteCount) { output in
            isSound = ValueKey(order).append(JSONBElement(root: bytes.span), in: bytes.span, to: &output)
        }
        return isSound ? key : nil
    }

    private func key(_ json: String, _ order: ValueOrder) throws -> [UInt8] {
        try #require(key(try JSONB.parse(Array(json.utf8), requiresObject: false), order))
    }

    private func compare(_ left: [UInt8], _ right: [UInt8], _ order: ValueOrder) -> Int {
        order.compare(JSONBElement(root: left.span), in: left.span, JSONBElement(root: right.span), in: right.span)
            .signum()
    }

    /// The order of two keys as SQLite has it.
    private func compareKeys(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    /// Returns whether two keys say what the order of their values is, as far as they are cut.
    private func agree(_ left: [UInt8], _ right: [UInt8], _ order: Int) -> Bool {
        let keys = compareKeys(left, right)
        return keys == order || keys == 0 && left.count == ValueKey.maximumByteCount
    }

    @Test("keys of random values have the order of the values, and are equal where these are")
    func randomValues() throws {
        var random = SeededRandom()
        for order in Self.orders {
            for round in 0..<12 {
                var values = (0..<60).map { _ in random.tree(depth: 3).encoded }
                values.append(contentsOf: (0..<60).map { _ in random.number().encoded })
                let keys = try values.map { try #require(key($0, order), "seed \(random.seed)") }
                for (a, left) in values.enumerated() {
                    for (b, right) in values.enumerated() where a < b {
                        guard agree(keys[a], keys[b], compare(left, right, order)) else {
                            Issue.record("seed \(random.seed), round \(round): \(left) \(right)")
                            return
                        }
                    }
                }
            }
        }
    }

    @Test("a damaged value has no key, or one in its place among others")
    func damaged() {
        var random = SeededRandom()
        var damagedCount = 0
        for order in Self.orders {
            let values = (0..<400).map { index in
                var bytes = random.tree(depth: 3).encoded
                if index.isMultiple(of: 2) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
                return bytes
            }
            let found = values.compactMap { value in key(value, order).map { (value, $0) } }
            damagedCount += values.count - found.count
            for (left, leftKey) in found {
                for (right, rightKey) in found where !agree(leftKey, rightKey, compare(left, right, order)) {
                    Issue.record("seed \(random.seed): \(left) \(right)")
                    return
                }
            }
        }
        #expect(damagedCount > 20, "seed \(random.seed)")
    }

    @Test(
        "different texts of one number have one key",
        arguments: [
            ["1", "1.0", "1e0", "10e-1", "0.1E1", "1.000000000000000000000000000000"],
            ["0", "-0", "0.0", "-0.0e5", "0e99999999999999999999"], ["-1500", "-1.5e3", "-15E+2", "-0.0015e6"],
            ["10e99999999999999999999", "1e100000000000000000000", "0.1e100000000000000000001"],
            ["1e-1000000000000000000", "10e-1000000000000000001", "0.1e-999999999999999999"],
            ["1e999999999999999999", "0.1e1000000000000000000", "0.01e0001000000000000000001"],
            ["12345", "1234.5e1", "0.12345e5", "123450e-1"],
        ])
    func equalNumbers(texts: [String]) throws {
        for order in Self.orders {
            let keys = try texts.map { try key($0, order) }
            #expect(Set(keys).count == 1)
        }
    }

    @Test("numbers that no double tells apart have keys in their order")
    func ascendingNumbers() throws {
        let texts = [
            "-1e99999999999999999999", "-1e1000000000000000000", "-1e999999999999999999", "-1e400", "-1e62", "-1e61",
            "-9223372036854775809", "-9223372036854775808", "-100", "-99.5", "-99", "-10.01", "-10", "-1",
            "-1e-61", "-1e-62", "-1e-63", "-1e-400", "-1e-99999999999999999999", "0", "1e-99999999999999999999",
            "1e-1000000000000000000", "1e-400", "1e-63", "1e-62", "1e-61", "0.1", "0.10000000000000000000001", "1",
            "1.0000000000000000000000001", "1.01", "1.1", "10", "10.01", "11", "99", "99.5", "100", "101", "1000",
            "9007199254740992", "9007199254740992.5", "9007199254740993", "1e61", "1e62", "1e63", "1e400", "1e401",
            "9e401", "1e999999999999999999", "1e1000000000000000000", "1e99999999999999999999",
        ]
        for order in Self.orders {
            let keys = try texts.map { try key($0, order) }
            for (a, left) in keys.enumerated() {
                for (b, right) in keys.enumerated() {
                    #expect(compareKeys(left, right) == (a - b).signum(), "\(texts[a]) \(texts[b])")
                }
            }
        }
    }

    @Test("texts with the bytes that keys give a meaning have their order")
    func texts() throws {
        let texts = [
            #"""#, #"\u0000"#, #"\u0000\u0000"#, #"\u0000\u0001"#, #"\u0000a"#, #"\u0001"#, #"\u0001\u0000"#,
            #"\u0001\u0001"#, #"\u0001a"#, #"\u0002"#, "a", #"a\u0000"#, #"a\u0001"#, #"a\u0002"#, "aa", "b",
        ].map { $0 == #"""# ? #""""# : "\"\($0)\"" }
        let arrays = texts.map { "[\($0)]" } + texts.map { "[\($0),null]" }
        let members = texts.map { "{\($0):0}" } + texts.map { "{\($0):\($0)}" }
        for order in Self.orders {
            for group in [texts, arrays, members] {
                let values = try group.map { try JSONB.parse(Array($0.utf8), requiresObject: false) }
                let keys = try values.map { try #require(key($0, order)) }
                for (a, left) in values.enumerated() {
                    for (b, right) in values.enumerated() {
                        let expected = compare(left, right, order)
                        #expect(compareKeys(keys[a], keys[b]) == expected, "\(group[a]) \(group[b])")
                    }
                }
            }
        }
    }

    @Test("counts of members of every width have their order")
    func counts() throws {
        let counts = [0, 1, 246, 247, 248, 249, 255, 256, 257, 65_535, 65_536]
        let keys = try counts.map { count in
            let members = (0..<count).map { "\"\($0)\":0" }
            return try key("{\(members.joined(separator: ","))}", .queries)
        }
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(left.lexicographicallyPrecedes(right)) }
    }

    @Test("a key ends at 960 bytes, and what differs before has its order", arguments: [957, 958, 959, 960, 5000])
    func cut(byteCount: Int) throws {
        for order in Self.orders {
            let texts = ["a", "b"].map { "\"" + String(repeating: "x", count: byteCount) + $0 + "\"" }
            let keys = try texts.map { try key($0, order) }
            #expect(keys.allSatisfy { $0.count == min(byteCount + 3, ValueKey.maximumByteCount) })
            #expect(compareKeys(keys[0], keys[1]) == (byteCount < 959 ? -1 : 0))
            let before = try key("\"" + String(repeating: "x", count: 900) + "a\"", order)
            #expect(compareKeys(before, keys[0]) == -1)
        }
    }

    @Test("missing comes first")
    func missing() throws {
        for order in Self.orders {
            let missing = try #require(key([UInt8]?.none, order))
            #expect(compareKeys(missing, try key("null", order)) == -1)
        }
    }

    @Test("nesting without end has no key and overflows nothing")
    func deep() throws {
        for (depth, hasKey) in [(500, true), (501, false), (100_000, false)] {
            var bytes: [UInt8] = []
            for level in (0..<depth).reversed() {
                bytes.append(0xEB)
                for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: (level * 5) >> shift)) }
            }
            for order in Self.orders { #expect((key(bytes, order) != nil) == hasKey) }
        }
    }
}

extension SeededRandom {
    /// A number of few digits or many, in one of the ways to write it; now and then one that no integer and no double holds.
    fileprivate mutating func number() -> Tree {
        let digits = String((0..<(below(3) == 0 ? 40 : 3)).map { _ in Character("\(below(10))") })
        let whole = below(2) == 0 ? "0" : "\(1 + below(9))\(digits)"
        let fraction = below(2) == 0 ? "" : ".\(below(2) == 0 ? "000" : "")\(digits)"
        let exponents = [
            "", "", "e0", "E+1", "e-2", "e\(below(140) - 70)", "e-99999999999999999999\(below(10))",
            "e1000000000000000000\(below(10))",
        ]
        return .number((below(2) == 0 ? "-" : "") + whole + fraction + exponents[below(exponents.count)])
    }
}
