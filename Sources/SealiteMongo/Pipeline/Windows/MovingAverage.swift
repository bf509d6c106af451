internal import SealiteValues

/// The window function `$expMovingAvg`: an exponential moving average, in which the weight of a row decreases with its
/// distance.
struct MovingAverage: WindowFunction {
    let input: ExpressionNode
    /// The weights of a row and of the average of the rows before this row, and the sum of both weights.
    struct Weight: Sendable {
        let new: Decimal128
        let old: Decimal128
        let all: Decimal128
    }

    let weight: Weight

    func visitValues(
        of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: (BSON?) throws -> Void
    ) throws {
        var last: Decimal128?
        var hasDecimal = false
        for row in partition.rows {
            evaluation.row = row
            guard let number = Number(try input.value(evaluation)) else {
                try body(BSON.null)
                continue
            }
            hasDecimal = hasDecimal || number.isDecimal
            guard let before = last else {
                last = number.decimal
                try body(number.bson)
                continue
            }
            let sum = number.decimal.multiplied(by: weight.new).adding(before.multiplied(by: weight.old))
            let average = sum.divided(by: weight.all)
            last = average
            try body(hasDecimal ? BSON.decimal128(average) : BSON.double(average.doubleValue))
        }
    }
}
