internal import SealiteValues

/// The accumulator of `$firstN`, `$lastN`, `$minN` and `$maxN`.
///
/// Up to twice the requested number of values are kept, so that the amortized cost of a selection is small.
final class SeveralAccumulator: Accumulator {
    enum Choice: Sendable { case first, last, lowest, highest }

    private let choice: Choice
    private let count: Int
    private var values: [BSON] = []
    private let work: WorkMeter

    init(_ choice: Choice, count: Int, _ work: WorkMeter) {
        (self.choice, self.count, self.work) = (choice, count, work)
    }

    func add(_ value: BSON?) throws -> Int {
        switch choice {
        case .first: guard values.count < count else { return 0 }
        case .last: break
        case .lowest, .highest: guard !value.isNullish else { return 0 }
        }
        let value = value ?? .null
        values.append(value)
        guard values.count / 2 >= count else { return value.memoryByteCount }
        let before = values
        values = try chosen()
        return value.memoryByteCount - (Self.byteCount(before) - Self.byteCount(values))
    }

    private static func byteCount(_ values: [BSON]) -> Int { values.reduce(0) { $0 + $1.memoryByteCount } }

    /// Returns the requested values among those that are kept; of equal values the earlier ones are chosen.
    private func chosen() throws -> [BSON] {
        switch choice {
        case .first: values
        case .last: values.suffix(count)
        case .lowest: Array(try values.sorted { try work.compare($0, $1) < 0 }.prefix(count))
        case .highest: Array(try values.sorted { try work.compare($0, $1) > 0 }.prefix(count))
        }
    }

    func result() throws -> BSON { .array(try chosen()) }
}
