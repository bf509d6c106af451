import SealiteTestSupport
import SealiteValues

/// Random values out of few, so that equal ones and neighbors are frequent.
struct RandomValues {
    var generator: SeededRandom

    init(seed: UInt64) { generator = SeededRandom(seed: seed) }

    /// Numbers around the places where types differ.
    static let numbers: [BSON] = [
        0, 1, -1, 1.0, -0.0, 0.5, 0.1, -1.5, 1e300, -1e300, .double(.nan), .double(.infinity), .double(-.infinity),
        .int64(1), .int64(.max), .int64(.min), .int64(1 << 53), .int64(1 << 53 + 1), .double(0x1p53), .double(0x1p63),
        .double(-0x1p63), .double(0x1p63 - 1024), .int32(.max), .int64(1 << 31), .double(.leastNonzeroMagnitude), 1e22,
        1e23,
        decimal("0"), decimal("-0"), decimal("1"), decimal("1.00"), decimal("0.1"), decimal("0.5"), decimal("0.50"),
        decimal("NaN"), decimal("Infinity"), decimal("-Infinity"), decimal("9223372036854775807"),
        decimal("9223372036854775808"), decimal("1E+300"), decimal("1E+6111"), decimal("1E-6176"),
        decimal("0.1000000000000000055511151231257827"), decimal("9007199254740993"), decimal("1E+400"),
        decimal("-1.5"),
    ]

    static func decimal(_ text: String) -> BSON { .decimal128(Decimal128(text) ?? .nan) }

    private static let texts = [
        "", "a", "b", "ab", "$", "$oid", "$s:a", "_x", "é", "e\u{301}", "a\u{0}", "\u{7F}", "\u{10FFFF}", "\"\\",
    ]

    /// A value of any type that is stored, nested to a depth.
    mutating func value(depth: Int = 3) -> BSON {
        switch Int.random(in: 0..<(depth > 0 ? 22 : 18), using: &generator) {
        case 0...5: Self.numbers[Int.random(in: 0..<Self.numbers.count, using: &generator)]
        case 6...8: .string(text())
        case 9: .bool(Bool.random(using: &generator))
        case 10: .null
        case 11: .objectID(id())
        case 12:
            .datetime(
                DateTime(
                    milliseconds: [0, -1, 1, 253_402_300_800_000, -62_167_219_200_001, 951_782_400_000].pick(&generator)
                ))
        case 13: .binary(binary())
        case 14:
            .timestamp(
                Timestamp(
                    seconds: UInt32.random(in: 0...2, using: &generator), increment: [0, 1, .max].pick(&generator)))
        case 15: .regex(Regex(["a", "^b", ""].pick(&generator), options: ["", "i", "mi"].pick(&generator)))
        case 16: [.minKey, .maxKey].pick(&generator)
        case 17: .code(text())
        case 18: .codeWithScope(text(), document(depth: depth - 1))
        case 19: .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth - 1) })
        default: .document(document(depth: depth - 1))
        }
    }

    /// A document of few members.
    mutating func document(depth: Int = 3) -> MongoDocument {
        var document = MongoDocument()
        for _ in 0..<Int.random(in: 0...3, using: &generator) { document[text()] = value(depth: depth) }
        return document
    }

    private mutating func text() -> String { Self.texts.pick(&generator) }

    private mutating func id() -> ObjectID {
        ObjectID(["000000000000000000000000", "65f1c0ffee0123456789abcd", "ffffffffffffffffffffffff"].pick(&generator))
            ?? ObjectID()
    }

    private mutating func binary() -> Binary {
        let subtype: UInt8 = [0, 2, 4, 128].pick(&generator)
        let count = [0, 1, 2, 16].pick(&generator)
        return Binary(
            (0..<count).map { UInt8(truncatingIfNeeded: $0) ^ UInt8.random(in: 0...1, using: &generator) },
            subtype: subtype)
    }
}

extension Array {
    /// An item at random; the array isn't empty.
    func pick(_ generator: inout SeededRandom) -> Element { self[Int.random(in: 0..<count, using: &generator)] }
}
