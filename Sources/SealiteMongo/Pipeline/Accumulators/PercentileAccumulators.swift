internal import SealiteValues

extension AccumulatorKind {
    /// The accumulators `$median` and `$percentile`, which choose values by the nearest rank.
    static let percentiles: [AccumulatorKind] = [
        .init("$median") { operand, parser in
            let operands = try percentile(operand, "$median", ["input", "method"])
            return AccumulatorSpecification(try parser.parse(operands["input"] ?? .null)) { _ in
                PercentileAccumulator([0.5], isSeveral: false)
            }
        },
        .init("$percentile") { operand, parser in
            let operands = try percentile(operand, "$percentile", ["input", "p", "method"])
            let fractions = try PercentileAccumulator.fractions(try parser.parse(operands["p"] ?? .null))
            return AccumulatorSpecification(try parser.parse(operands["input"] ?? .null)) { evaluation in
                PercentileAccumulator(try fractions(evaluation), isSeveral: true)
            }
        },
    ]

    /// Returns the operands of `$median` or `$percentile`; throws `MongoError` for another method than `approximate`.
    static func percentile(_ operand: BSON, _ name: String, _ names: [String]) throws -> NamedOperands {
        let operands = try NamedOperands(operand, of: name, names, required: Set(names), code: 7436201)
        guard operands["method"] == .string("approximate") else {
            throw MongoError(code: 2, "\(name) supports only the method 'approximate'.")
        }
        return operands
    }
}

extension ExpressionOperator {
    /// The operators `$median` and `$percentile` over the items of an array.
    static let percentiles: [ExpressionOperator] = [
        .init("$median") { operand, parser in
            let operands = try AccumulatorKind.percentile(operand, "$median", ["input", "method"])
            let input = try parser.parse(operands["input"] ?? .null)
            return .form { PercentileAccumulator([0.5], isSeveral: false).result(of: try input.value($0)) }
        },
        .init("$percentile") { operand, parser in
            let operands = try AccumulatorKind.percentile(operand, "$percentile", ["input", "p", "method"])
            let fractions = try PercentileAccumulator.fractions(try parser.parse(operands["p"] ?? .null))
            let input = try parser.parse(operands["input"] ?? .null)
            return .form { evaluation in
                PercentileAccumulator(try fractions(evaluation), isSeveral: true)
                    .result(of: try input.value(evaluation))
            }
        },
    ]
}

/// The accumulator of `$median` and `$percentile`, which ignores values that aren't numbers.
final class PercentileAccumulator: Accumulator {
    private let fractions: [Double]
    private let isSeveral: Bool
    private var values: [Double] = []

    init(_ fractions: [Double], isSeveral: Bool) { (self.fractions, self.isSeveral) = (fractions, isSeveral) }

    /// Returns a function that evaluates the argument `p` of `$percentile`, an array of fractions from 0 to 1. A
    /// constant argument is checked at once.
    static func fractions(_ node: ExpressionNode) throws -> @Sendable (Evaluation) throws -> [Double] {
        if let constant = node.constant {
            let fractions = try checked(constant)
            return { _ in fractions }
        }
        return { try checked(node.value($0)) }
    }

    private static func checked(_ value: BSON?) throws -> [Double] {
        guard case .array(let items) = value, !items.isEmpty else {
            throw MongoError(code: 7750301, "$percentile takes a nonempty array of numbers from 0 to 1 as 'p'.")
        }
        return try items.map { item in
            guard let number = BSONNumber(item)?.double, (0...1).contains(number) else {
                throw MongoError(code: 7750303, "$percentile takes numbers from 0 to 1 in 'p'.")
            }
            return number
        }
    }

    func add(_ value: BSON?) -> Int {
        guard let number = BSONNumber(value), !number.isNaN else { return 0 }
        values.append(number.double)
        return 8
    }

    /// Adds the items of an array, or one value, and returns the result.
    func result(of value: BSON?) -> BSON {
        let items = if case .array(let items) = value { items } else { [value ?? .null] }
        for item in items { _ = add(item) }
        return result()
    }

    func result() -> BSON {
        guard isSeveral || !values.isEmpty else { return .null }
        let sorted = values.sorted()
        let results = fractions.map { fraction -> BSON in
            guard !sorted.isEmpty else { return .null }
            let rank = (fraction * Double(sorted.count)).rounded(.up)
            return .double(sorted[max(0, min(sorted.count - 1, Int(rank) - 1))])
        }
        return isSeveral ? .array(results) : results[0]
    }
}
