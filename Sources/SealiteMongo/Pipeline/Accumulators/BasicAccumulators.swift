internal import SealiteValues

extension AccumulatorKind {
    /// The accumulators of sums, means and standard deviations, which ignore values that aren't numbers, and `$count`.
    static let numbers: [AccumulatorKind] = [
        .init("$sum", isUnary: true) { SumAccumulator(isMean: false) },
        .init("$avg", isUnary: true) { SumAccumulator(isMean: true) },
        .init("$stdDevPop", isUnary: true) { DeviationAccumulator(isSample: false) },
        .init("$stdDevSamp", isUnary: true) { DeviationAccumulator(isSample: true) },
        .init("$count") { operand, _ in
            guard operand.isEmptyDocument else { throw MongoError(code: 9, "$count takes an empty object.") }
            var count = AccumulatorSpecification(.constant(.int32(1))) { _ in SumAccumulator(isMean: false) }
            count.isIndependent = true
            return count
        },
    ]
}
