internal import SealiteValues

extension WindowFunctionKind {
    /// The window functions `$derivative`, `$integral` and `$expMovingAvg`.
    static let rates: [WindowFunctionKind] = [
        rate("$derivative", isArea: false), rate("$integral", isArea: true),
        .init("$expMovingAvg") { operand, window, order, parser in
            let operands = try NamedOperands(operand, of: "$expMovingAvg", ["input", "N?", "alpha?"])
            try require(order != nil, 9, "$expMovingAvg needs 'sortBy'.")
            try require(window == nil, 9, "$expMovingAvg takes no 'window'.")
            let weight: MovingAverage.Weight
            switch (operands["N"], operands["alpha"]) {
            case (let count?, nil):
                guard let number = BSONNumber(count)?.exactInteger, (1..<Int64.max).contains(number),
                    BSONNumber(count)?.isDouble == false
                else {
                    throw MongoError(code: 9, "$expMovingAvg takes a positive integer as 'N'.")
                }
                weight = .init(new: Decimal128(2), old: Decimal128(number - 1), all: Decimal128(number + 1))
            case (nil, let alpha?):
                guard let number = BSONNumber(alpha), number.double > 0, number.double < 1 else {
                    throw MongoError(code: 9, "$expMovingAvg takes a number between 0 and 1 as 'alpha'.")
                }
                let one = Decimal128(1)
                weight = .init(new: number.decimal, old: one.subtracting(number.decimal), all: one)
            default: throw MongoError(code: 9, "$expMovingAvg needs either 'N' or 'alpha', and not both.")
            }
            return MovingAverage(input: try parser.parse(operands["input"] ?? .null), weight: weight)
        },
    ]

    private static func rate(_ name: String, isArea: Bool) -> WindowFunctionKind {
        .init(name) { operand, window, order, parser in
            let operands = try NamedOperands(operand, of: name, ["input", "unit?"])
            guard let order, order.keys.count == 1 else {
                throw MongoError(code: 9, "\(name) needs 'sortBy' with one key.")
            }
            try require(isArea || window != nil, 9, "\(name) needs a 'window'.")
            let unit = try CalendarUnit.argument(operands["unit"], name)
            try require(unit?.months == nil, 5490704, "\(name) takes 'week' or a shorter unit as 'unit'.")
            return Rate(
                name: name, isArea: isArea, input: try parser.parse(operands["input"] ?? .null), unit: unit,
                bounds: try WindowBounds(window, order))
        }
    }
}

/// The window functions `$derivative` (the slope between the first and the last row of a window) and `$integral` (the
/// area below the rows of a window).
struct Rate: WindowFunction {
    let name: String
    let isArea: Bool
    let input: ExpressionNode
    let unit: CalendarUnit?
    let bounds: WindowBounds

    func visitValues(of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: Visit) throws {
        let points = try partition.rows.indices.map { index in
            evaluation.row = partition.rows[index]
            return (x: try place(partition.value(index)), y: try number(try input.value(evaluation)))
        }
        let window = try partition.windows(bounds)
        for index in points.indices { try body(value(of: try window(index), points)) }
    }

    private func value(of range: Range<Int>, _ points: [(x: BSONNumber, y: BSONNumber)]) -> BSON {
        guard isArea else {
            return range.count > 1 ? slope(points[range.lowerBound], points[range.upperBound - 1]) : .null
        }
        return range.isEmpty ? .null : area(range, points).bson
    }

    /// Returns the area below the rows of a window by the trapezoidal rule. It is computed anew for each window, since
    /// a difference of running sums would lose precision.
    private func area(_ range: Range<Int>, _ points: [(x: BSONNumber, y: BSONNumber)]) -> BSONNumber {
        var sum = NumberSum()
        sum.add(.double(0))
        for index in range.dropLast() { sum.add(area(points[index], points[index + 1])) }
        return sum.total
    }

    private func area(_ left: (x: BSONNumber, y: BSONNumber), _ right: (x: BSONNumber, y: BSONNumber)) -> BSONNumber {
        let width = right.x.subtracting(left.x)
        let height = left.y.subtracting(BSONNumber.int32(0).subtracting(right.y))
        if width.isDecimal || height.isDecimal {
            return .decimal(width.decimal.multiplied(by: height.decimal).divided(by: Decimal128(2)))
        }
        return .double(width.double * height.double / 2)
    }

    private func slope(_ left: (x: BSONNumber, y: BSONNumber), _ right: (x: BSONNumber, y: BSONNumber)) -> BSON {
        let (run, rise) = (right.x.subtracting(left.x), right.y.subtracting(left.y))
        guard !run.isZero else { return .null }
        return run.isDecimal || rise.isDecimal
            ? .decimal128(rise.decimal.divided(by: run.decimal)) : .double(rise.double / run.double)
    }

    /// Returns the horizontal coordinate of a row by its sort value: a number, or a date in units since 1970.
    private func place(_ value: BSON) throws -> BSONNumber {
        if case .datetime(let date) = value {
            let length = try require(
                unit?.milliseconds, 5624901, "\(name) needs a 'unit' if the values of 'sortBy' are dates.")
            return .double(Double(date.milliseconds) / Double(length))
        }
        try require(unit == nil, 5624900, "\(name) with a 'unit' takes dates in 'sortBy', not \(value.type.alias).")
        return try requireNumber(value, 5624902, "\(name) takes numbers in 'sortBy'")
    }

    private func number(_ value: BSON?) throws -> BSONNumber {
        return try requireNumber(value, 5624903, "\(name) takes numbers as 'input'")
    }
}

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

    func visitValues(of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: Visit) throws {
        var last: Decimal128?
        var hasDecimal = false
        for row in partition.rows {
            evaluation.row = row
            guard let number = BSONNumber(try input.value(evaluation)) else {
                try body(BSON.null)
                continue
            }
            hasDecimal = hasDecimal || number.isDecimal
            guard let before = last else {
                last = number.decimal
                try body(hasDecimal ? number.bson : .double(number.double))
                continue
            }
            let sum = number.decimal.multiplied(by: weight.new).adding(before.multiplied(by: weight.old))
            let average = sum.divided(by: weight.all)
            last = average
            try body(hasDecimal ? BSON.decimal128(average) : BSON.double(average.doubleValue))
        }
    }
}
