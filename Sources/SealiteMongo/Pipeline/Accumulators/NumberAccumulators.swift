internal import SealiteValues

extension AccumulatorKind {
    /// Sums, means and deviations; values that aren't numbers are ignored.
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

/// `$sum` and `$avg`.
final class SumAccumulator: Accumulator {
    private var sum = NumberSum()
    private let isMean: Bool

    init(isMean: Bool) { self.isMean = isMean }

    func add(_ value: BSON?) -> Int {
        if let number = Number(value) { sum.add(number) }
        return 0
    }

    /// Adds a value several times.
    func add(_ value: BSON?, times count: Int) {
        if let number = Number(value) { sum.add(number, times: count) }
    }

    func result() -> BSON { isMean ? sum.mean?.bson ?? .null : sum.total.bson }
}

/// `$stdDevPop` and `$stdDevSamp`.
final class DeviationAccumulator: Accumulator {
    private var deviation = Deviation()
    private let isSample: Bool

    init(isSample: Bool) { self.isSample = isSample }

    func add(_ value: BSON?) -> Int {
        if let number = Number(value) { deviation.add(number) }
        return 0
    }

    func result() -> BSON { deviation.value(isSample: isSample) }
}
