internal import SealiteValues

/// The accumulator of `$firstN`, `$lastN`, `$minN` and `$maxN`.
///
/// Up to twice the requested number of values are kept, so that the amortized cost of a selection is small.
final class SeveralAccumulator: Accumulator {
    enum Choice: Sendable { case first, last, lowest, highest }

    private let choice: Choice
    private let count: Int
    private var values: [BSON] = []

    init(_ choice: Choice, count: Int) { (self.choice, self.count) = (choice, count) }

    func add(_ value: BSON?) -> Int {
        switch choice {
        case .first: guard values.count < count else { return 0 }
        case .last: break
        case .lowest, .highest: guard !value.isNullish else { return 0 }
        }
        let value = value ?? .null
        values.append(value)
        guard values.count / 2 >= count else { return value.memoryByteCount }
        let before = values
        values = chosen()
        return value.memoryByteCount - (Self.byteCount(before) - Self.byteCount(values))
    }

    private static func byteCount(_ values: [BSON]) -> Int { values.reduce(0) { $0 + $1.memoryByteCount } }

    /// Returns the requested values among those that are kept; of equal values the earlier ones are chosen.
    private func chosen() -> [BSON] {
        switch choice {
        case .first: values
        case .last: values.suffix(count)
        case .lowest: Array(values.sorted { $0.compared(to: $1) < 0 }.prefix(count))
        case .highest: Array(values.sorted { $0.compared(to: $1) > 0 }.prefix(count))
        }
    }

    func result() -> BSON { .array(chosen()) }
}
