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
