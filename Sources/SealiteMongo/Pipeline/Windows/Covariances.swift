internal import SealiteValues

extension WindowFunctionKind {
    /// The window functions `$covariancePop` and `$covarianceSamp`.
    static let covariances: [WindowFunctionKind] = [
        covariance("$covariancePop", isSample: false), covariance("$covarianceSamp", isSample: true),
    ]

    private static func covariance(_ name: String, isSample: Bool) -> WindowFunctionKind {
        .init(name) { operand, window, order, parser in
            // Only pairs count; other values of the operand are ignored.
            let input = try parser.parse(operand)
            return AccumulatedWindow(
                accumulator: AccumulatorSpecification(input) { _ in CovarianceAccumulator(isSample: isSample) },
                bounds: try WindowBounds(window, order))
        }
    }
}

/// The accumulator of `$covariancePop` and `$covarianceSamp`, which ignores values that aren't pairs of numbers.
///
/// As in MongoDB, the means are quotients of sums, so that sums of very large numbers overflow; of pairs with infinities
/// only the signs count, and infinities of both signs give NaN.
final class CovarianceAccumulator: Accumulator {
    private let isSample: Bool
    private var count = 0
    private var (sumX, sumY) = (NumberSum(), NumberSum())
    private var products = BSONNumber.double(0)
    /// The signs of the infinities.
    private var infinities: Set<FloatingPointSign> = []
    private var hasNaN = false

    init(isSample: Bool) { self.isSample = isSample }

    func add(_ value: BSON?) -> Int {
        guard case .array(let pair) = value, pair.count == 2, let x = BSONNumber(pair[0]), let y = BSONNumber(pair[1])
        else {
            return 0
        }
        if Self.isInfinite(x) || Self.isInfinite(y) || x.isNaN || y.isNaN {
            hasNaN = hasNaN || x.isNaN || y.isNaN
            for number in [x, y] where Self.isInfinite(number) { infinities.insert(number.isNegative ? .minus : .plus) }
            return 0
        }
        count += 1
        sumY.add(y)
        if count > 1 {
            let distanceX = x.subtracting(Self.quotient(sumX.total, count - 1))
            let distanceY = y.subtracting(Self.quotient(sumY.total, count))
            products = products.adding(distanceX.multiplied(by: distanceY))
        }
        sumX.add(x)
        return 0
    }

    private static func isInfinite(_ number: BSONNumber) -> Bool {
        if case .decimal(let value) = number { value.isInfinite } else { number.double.isInfinite }
    }

    func result() -> BSON {
        // Without finite pairs there is no result, whatever the others are.
        let divisor = isSample ? count - 1 : count
        if divisor <= 0 { return .null }
        if count == 1 { return .double(0) }
        if hasNaN || infinities.count == 2 { return .double(.nan) }
        if let sign = infinities.first { return .double(sign == .plus ? .infinity : -.infinity) }
        return Self.quotient(products, divisor).bson
    }

    /// Returns the quotient of a number and a count, as a decimal by the count with 15 digits, or as a double.
    private static func quotient(_ number: BSONNumber, _ divisor: Int) -> BSONNumber {
        number.isDecimal
            ? .decimal(number.decimal.divided(by: Decimal128(Double(divisor))))
            : .double(number.double / Double(divisor))
    }
}

/// A window function that computes an accumulator over the window of each row.
struct AccumulatedWindow: WindowFunction {
    let accumulator: AccumulatorSpecification
    let bounds: WindowBounds

    /// The maximum number of values that are added to accumulators for all windows of a partition.
    private static let maximumWork = 50_000_000

    func visitValues(of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: Visit) throws {
        var byteCount = 0
        let inputs = try partition.rows.map { row -> BSON? in
            evaluation.row = row
            let value = try accumulator.input.value(evaluation)
            let growth = value?.memoryByteCount ?? 0
            byteCount += growth
            try memory.take(growth, for: "$setWindowFields")
            return value
        }
        try visitResults(of: inputs, partition, evaluation, body)
        memory.giveBack(byteCount)
    }

    /// Calls `body` with the accumulator's result for the window of each row, in the order of the rows. `inputs` are
    /// the values of the rows that are added to accumulators.
    private func visitResults(
        of inputs: [BSON?], _ partition: Partition, _ evaluation: Evaluation, _ body: (BSON?) throws -> Void
    ) throws {
        let window = try partition.windows(bounds)
        var (last, work) = (BSON.null, 0)
        let make = { () throws -> any Accumulator in
            let made = try accumulator.make(evaluation)
            if bounds.slides { (made as? DeviationAccumulator)?.refusesInfinities = true }
            return made
        }
        var (current, range) = (try make(), 0..<0)
        for index in partition.rows.indices {
            let next = try window(index)
            // A result may take time in the size of the window.
            try evaluation.work.charge(1 + next.count)
            if index > 0, next == range {
                try body(last)
                continue
            }
            // A window that only grows at its end keeps its accumulator.
            if next.lowerBound != range.lowerBound || next.upperBound < range.upperBound {
                (current, range) = (try make(), next.lowerBound..<next.lowerBound)
            }
            for place in range.upperBound..<next.upperBound { _ = try current.add(inputs[place]) }
            work += next.upperBound - range.upperBound
            try require(
                work <= Self.maximumWork,
                .tooLarge("The windows of one partition add more than \(Self.maximumWork) values to an accumulator."))
            range = next
            last = try current.result()
            try body(last)
        }
    }
}
