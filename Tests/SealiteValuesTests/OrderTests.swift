import SealiteJSON
import SealiteTestSupport
import SealiteValues
import Testing

@Suite("the order of values")
struct OrderTests {
    @Test("the types have MongoDB's order, numbers as one type")
    func types() throws {
        let id = try #require(ObjectID("65f1c0ffee0123456789abcd"))
        let values: [BSON] = [
            .minKey, .undefined, .null, .double(.nan), .double(-.infinity), -5, 0, .double(0.5), 1, .int64(.max),
            .double(0x1p63), "", "a", "aa", "b", ["a": 1], ["a": 1, "b": 1], ["b": 1], ["a": ""], [], [1], [1, 1], [2],
            .binary(Binary([])), .binary(Binary([1])), .binary(Binary([0], subtype: 5)),
            .binary(Binary([0], subtype: 2)),
            .binary(Binary([0, 0, 0, 0, 0], subtype: 3)), .objectID(id), false, true,
            .datetime(DateTime(milliseconds: -1)), .datetime(DateTime(milliseconds: 0)),
            .timestamp(Timestamp(seconds: 0, increment: 1)), .timestamp(Timestamp(seconds: 1, increment: 0)),
            .regex(Regex("a")), .regex(Regex("a", options: "i")), .regex(Regex("b")), .dbPointer(DBPointer("b", id)),
            .dbPointer(DBPointer("aa", id)), .code("a"), .codeWithScope("a", [:]), .codeWithScope("a", ["a": 1]),
            .maxKey,
        ]
        for (index, value) in values.enumerated() {
            for (otherIndex, other) in values.enumerated() {
                #expect(
                    value.compared(to: other).signum() == (index - otherIndex).signum(), "\(index) and \(otherIndex)")
            }
        }
    }

    @Test("numbers compare by exact value across int, long, double and decimal")
    func numbers() {
        #expect(BSON.int64(1 << 53 + 1).compared(to: .double(0x1p53)) > 0)
        #expect(BSON.int64(.max).compared(to: .double(0x1p63)) < 0)
        #expect(BSON.int64(.min).isSame(as: .double(-0x1p63)))
        #expect(BSON.double(0.1).compared(to: RandomValues.decimal("0.1")) > 0)
        #expect(BSON.double(0.5).isSame(as: RandomValues.decimal("0.50")))
        #expect(BSON.double(-0.0).isSame(as: 0))
        #expect(BSON.double(.nan).isSame(as: RandomValues.decimal("NaN")))
        #expect(RandomValues.decimal("1E+400").compared(to: .double(.infinity)) < 0)
        #expect(RandomValues.decimal("-1E+400").compared(to: .double(-.infinity)) > 0)
        #expect(BSON.int64(1 << 53 + 1).isSame(as: RandomValues.decimal("9007199254740993")))
    }

    @Test("the order is total: antisymmetric and transitive, and keys agree with it", arguments: TestSeed.seeds(3))
    func totalOrder(seed: UInt64) {
        var random = RandomValues(seed: seed)
        let values = RandomValues.numbers + (0..<150).map { _ in random.value() }
        let sorted = values.sorted { $0.compared(to: $1) < 0 }
        var faults = 0
        for (index, value) in sorted.enumerated() {
            for other in sorted[index...] {
                let order = value.compared(to: other)
                if order > 0 || other.compared(to: value).signum() != -order.signum() { faults += 1 }
                let (key, otherKey) = (BSONKey(value), BSONKey(other))
                if (key == otherKey) != (order == 0) { faults += 1 }
                if order == 0, key.hashValue != otherKey.hashValue { faults += 1 }
            }
        }
        #expect(faults == 0)
    }

    @Test("keys of one value are one, whatever the type")
    func keys() {
        let keys: Set<BSONKey> = [
            BSONKey(1), BSONKey(1.0), BSONKey(.int64(1)), BSONKey(RandomValues.decimal("1.00")),
            BSONKey(RandomValues.decimal("10E-1")), BSONKey("1"),
        ]
        #expect(keys.count == 2)
    }
}
