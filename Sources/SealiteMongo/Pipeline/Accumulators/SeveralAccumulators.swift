internal import SealiteValues

extension AccumulatorKind {
    /// The accumulators `$firstN`, `$lastN`, `$minN` and `$maxN`.
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
                SeveralAccumulator(choice, count: try Ranking.count(count.value(evaluation), name), evaluation.work)
            }
        }
    }

    /// Returns the expression of the argument `n`, the number of values to keep; throws `MongoError` if it is a
    /// constant other than a positive integer.
    static func constantCount(_ value: BSON?, _ name: String, _ parser: ExpressionParser) throws -> ExpressionNode {
        let node = try parser.parse(value ?? .null)
        if let constant = node.constant { _ = try Ranking.count(constant, name) }
        return node
    }
}
