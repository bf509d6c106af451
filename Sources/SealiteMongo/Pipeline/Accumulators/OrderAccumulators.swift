internal import SealiteValues

extension AccumulatorKind {
    /// The accumulators `$min`, `$max`, `$first` and `$last`.
    static let orders: [AccumulatorKind] = [
        .init("$min", isUnary: true) { ExtremeAccumulator { $0 < 0 } },
        .init("$max", isUnary: true) { ExtremeAccumulator { $0 > 0 } },
        .init("$first", reading: first), .init("$last", reading: last),
    ]

    @Sendable private static func first(_ operand: BSON, _ parser: ExpressionParser) throws -> AccumulatorSpecification
    {
        AccumulatorSpecification(try parser.parse(operand)) { _ in FirstAccumulator() }
    }

    @Sendable private static func last(_ operand: BSON, _ parser: ExpressionParser) throws -> AccumulatorSpecification {
        AccumulatorSpecification(try parser.parse(operand)) { _ in LastAccumulator() }
    }
}
