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
final class CovarianceAccumulator: Accumulator {
    private let isSample: Bool
    private var count = 0
    private var (meanX, meanY, products) = (BSONNumber.double(0), BSONNumber.double(0), BSONNumber.double(0))

    init(isSample: Bool) { self.isSample = isSample }

    func add(_ value: BSON?) -> Int {
        guard case .array(let pair) = value, pair.count == 2, let x = BSONNumber(pair[0]), let y = BSONNumber(pair[1])
        else {
            return 0
        }
        count += 1
        let (distanceX, distanceY) = (x.subtracting(meanX), y.subtracting(meanY))
        meanX = meanX.adding(quotient(distanceX, count))
        meanY = meanY.adding(quotient(distanceY, count))
        guard count > 1 else { return 0 }
        let product = distanceX.multiplied(by: distanceY).multiplied(by: .double(Double(count - 1)))
        products = products.adding(quotient(product, count))
        return 0
    }

    func result() -> BSON {
        let divisor = isSample ? count - 1 : count
        return divisor > 0 ? quotient(products, divisor).bson : .null
    }

    private func quotient(_ number: BSONNumber, _ divisor: Int) -> BSONNumber {
        number.isDecimal
            ? .decimal(number.decimal.divided(by: Decimal128(divisor))) : .double(number.double / Double(divisor))
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
        var (current, range) = (try accumulator.make(evaluation), 0..<0)
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
                (current, range) = (try accumulator.make(evaluation), next.lowerBound..<next.lowerBound)
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
