internal import SealiteValues

extension AccumulatorKind {
    /// The accumulators `$median` and `$percentile`, which choose values by the nearest rank.
    static let percentiles = [percentile("$median", isSeveral: false), percentile("$percentile", isSeveral: true)]

    private static func percentile(_ name: String, isSeveral: Bool) -> AccumulatorKind {
        .init(name) { operand, parser in
            let arguments = try PercentileArguments(operand, name, isSeveral: isSeveral, parser)
            return AccumulatorSpecification(arguments.input, arguments.accumulator)
        }
    }
}

extension ExpressionOperator {
    /// The operators `$median` and `$percentile` over the items of an array.
    static let percentiles = [percentile("$median", isSeveral: false), percentile("$percentile", isSeveral: true)]

    private static func percentile(_ name: String, isSeveral: Bool) -> ExpressionOperator {
        .init(name) { operand, parser in
            let arguments = try PercentileArguments(operand, name, isSeveral: isSeveral, parser)
            return .form { try arguments.accumulator($0).result(of: try arguments.input.value($0)) }
        }
    }
}

/// The arguments of `$median` or `$percentile`, as an accumulator or as an operator.
private struct PercentileArguments: Sendable {
    let input: ExpressionNode
    /// A function that returns a new, empty accumulator.
    let accumulator: @Sendable (Evaluation) throws -> PercentileAccumulator

    /// Parses the operand of the operator `name`; throws `MongoError` for another method than `approximate`.
    init(_ operand: BSON, _ name: String, isSeveral: Bool, _ parser: ExpressionParser) throws {
        let names = isSeveral ? ["input", "p", "method"] : ["input", "method"]
        let codes = OperandCodes(shape: 7_436_201, unknown: 40415, absent: 40414)
        let operands = try NamedOperands(operand, of: name, names, code: codes)
        try require(operands["method"] == .string("approximate"), 2, "\(name) supports only the method 'approximate'.")
        if isSeveral {
            let fractions = try PercentileAccumulator.fractions(try operands.node("p", parser))
            accumulator = { PercentileAccumulator(try fractions($0), isSeveral: true) }
        } else {
            accumulator = { _ in PercentileAccumulator([0.5], isSeveral: false) }
        }
        input = try operands.node("input", parser)
    }
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
