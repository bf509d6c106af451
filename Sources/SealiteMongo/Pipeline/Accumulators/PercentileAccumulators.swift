internal import SealiteValues

extension AccumulatorKind {
    /// Percentiles by the nearest rank.
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

    /// Returns the operands of a percentile; the only method is `approximate`.
    fileprivate static func percentile(_ operand: BSON, _ name: String, _ names: [String]) throws -> NamedOperands {
        let operands = try NamedOperands(operand, of: name, names, required: Set(names), code: 7436201)
        guard operands["method"] == .string("approximate") else {
            throw MongoError(code: 2, "\(name) supports only the method 'approximate'.")
        }
        return operands
    }
}

extension ExpressionOperator {
    /// Percentiles of the items of an array.
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

/// `$median` and `$percentile`.
final class PercentileAccumulator: Accumulator {
    private let fractions: [Double]
    private let isSeveral: Bool
    private var values: [Double] = []

    init(_ fractions: [Double], isSeveral: Bool) { (self.fractions, self.isSeveral) = (fractions, isSeveral) }

    /// Returns a function that evaluates the fractions of the argument 'p', which are checked at once if they are
    /// constant.
    static func fractions(_ node: ExpressionNode) throws -> @Sendable (Evaluation) throws -> [Double] {
        if let constant = node.constant {
            let fractions = try checked(constant)
            return { _ in fractions }
        }
        return { try checked(node.value($0)) }
    }

    private static func checked(_ value: BSON?) throws -> [Double] {
        guard case .array(let items) = value, !items.isEmpty else {
            throw MongoError(code: 7750301, "$percentile takes an array of numbers from 0 to 1 as 'p'.")
        }
        return try items.map { item in
            guard let number = Number(item)?.double, (0...1).contains(number) else {
                throw MongoError(code: 7750303, "$percentile takes numbers from 0 to 1 as 'p'.")
            }
            return number
        }
    }

    func add(_ value: BSON?) -> Int {
        guard let number = Number(value), !number.isNaN else { return 0 }
        values.append(number.double)
        return 8
    }

    /// Returns the result for the items of an array, or for one value.
    fileprivate func result(of value: BSON?) -> BSON {
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
