internal import SealiteValues

extension AccumulatorKind {
    /// The first, last, lowest and highest values, several of them.
    static let several: [AccumulatorKind] = [
        several("$firstN", .first), several("$lastN", .last), several("$minN", .lowest), several("$maxN", .highest),
    ]

    private static func several(_ name: String, _ choice: SeveralAccumulator.Choice) -> AccumulatorKind {
        .init(name) { operand, parser in
            let names = ["input", "n"]
            let operands = try NamedOperands(operand, of: name, names, required: Set(names), code: 5787900)
            let count = try constantCount(operands["n"], name, parser)
            let input = try parser.parse(operands["input"] ?? .null)
            return AccumulatorSpecification(input) { evaluation in
                SeveralAccumulator(choice, count: try Ranking.count(count.value(evaluation), name))
            }
        }
    }

    /// The number of values to keep, checked where it is constant.
    static func constantCount(_ value: BSON?, _ name: String, _ parser: ExpressionParser) throws -> ExpressionNode {
        let node = try parser.parse(value ?? .null)
        if let constant = node.constant { _ = try Ranking.count(constant, name) }
        return node
    }
}

/// `$firstN`, `$lastN`, `$minN` and `$maxN`.
final class SeveralAccumulator: Accumulator {
    enum Choice: Sendable { case first, last, lowest, highest }

    private let choice: Choice
    private let count: Int
    private var values: [BSON] = []

    init(_ choice: Choice, count: Int) { (self.choice, self.count) = (choice, count) }

    func add(_ value: BSON?) -> Int {
        switch choice {
        case .first:
            guard values.count < count else { return 0 }
            values.append(value ?? .null)
            return values.last?.memoryByteCount ?? 0
        case .last:
            values.append(value ?? .null)
            let growth = values.last?.memoryByteCount ?? 0
            guard values.count > count else { return growth }
            return growth - values.removeFirst().memoryByteCount
        case .lowest, .highest:
            guard let value, !Optional(value).isNullish else { return 0 }
            return insert(value)
        }
    }

    /// Inserts a value behind those that are equal or before it.
    private func insert(_ value: BSON) -> Int {
        let isBefore = { (order: Int) in self.choice == .lowest ? order < 0 : order > 0 }
        if values.count == count, let last = values.last, !isBefore(value.compared(to: last)) { return 0 }
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(value.compared(to: values[middle])) { high = middle } else { low = middle + 1 }
        }
        values.insert(value, at: low)
        let growth = value.memoryByteCount
        return values.count > count ? growth - values.removeLast().memoryByteCount : growth
    }

    func result() -> BSON { .array(values) }
}
