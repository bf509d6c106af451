import SealiteJSON
import SealiteTestSupport
import SealiteValues
import Testing

@Suite("keys that have the order of values")
struct OrderKeyTests {
    private static func stored(_ value: BSON) -> [UInt8]? {
        guard let bytes = try? value.stored() else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: OrderKey.maximumByteCount) { buffer in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            let isWhole = OrderKey.append(JSONBElement(root: bytes.span), in: bytes.span, to: &output)
            let count = unsafe output.finalize(for: buffer)
            return isWhole ? unsafe Array(UnsafeBufferPointer(rebasing: buffer[..<count])) : nil
        }
    }

    private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    @Test("keys compare as values do, in memory and stored", arguments: TestSeed.seeds(3))
    func order(seed: UInt64) {
        var random = RandomValues(seed: seed)
        let values = RandomValues.numbers + (0..<200).map { _ in random.value() }
        let keys = values.map { OrderKey.bytes(of: $0) }
        var faults = 0
        for (value, key) in zip(values, keys) {
            if let stored = Self.stored(value), stored != key { faults += 1 }
            for (other, otherKey) in zip(values, keys)
            where Self.compare(key, otherKey) != value.compared(to: other).signum() { faults += 1 }
        }
        #expect(faults == 0)
    }

    @Test("random decimals and integers between doubles have keys in their order")
    func numbers() {
        var generator = SeededRandom(part: 7)
        var values: [BSON] = []
        for _ in 0..<300 {
            let double =
                Double.random(in: -1.9...1.9, using: &generator)
                * Double(UInt64(1) << UInt64.random(in: 0...62, using: &generator))
            let decimal = Decimal128(shortest: double)
            values += [
                .double(double), .decimal128(decimal), .decimal128(Decimal128(double)), .int64(Int64(double.rounded())),
            ]
            values.append(.decimal128(decimal.adding(Decimal128("1E-30") ?? .nan)))
        }
        let sorted = values.map { ($0, OrderKey.bytes(of: $0)) }.sorted { $0.0.compared(to: $1.0) < 0 }
        let faults = zip(sorted, sorted.dropFirst()).count { left, right in
            Self.compare(left.1, right.1) != left.0.compared(to: right.0).signum()
        }
        #expect(faults == 0)
    }

    @Test("a key is cut at its size, and a missing value has one")
    func limits() {
        #expect(OrderKey.bytes(of: .string(String(repeating: "a", count: 2000))).count == OrderKey.maximumByteCount)
        #expect(OrderKey.bytes(of: nil) == [OrderKey.tag(of: .undefined)])
        #expect(OrderKey.bytes(of: 1) == [0x20, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0, 0])
    }
}
