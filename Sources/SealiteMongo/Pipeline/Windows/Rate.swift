internal import SealiteValues

/// The window functions `$derivative` (the slope between the first and the last row of a window) and `$integral` (the
/// area below the rows of a window).
struct Rate: WindowFunction {
    let name: String
    let isArea: Bool
    let input: ExpressionNode
    let unit: DateUnit?
    let bounds: WindowBounds

    func visitValues(
        of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: (BSON?) throws -> Void
    ) throws {
        let points = try partition.rows.indices.map { index in
            evaluation.row = partition.rows[index]
            return (x: try place(partition.value(index)), y: try number(try input.value(evaluation)))
        }
        let window = try partition.windows(bounds)
        for index in points.indices { try body(value(of: try window(index), points)) }
    }

    private func value(of range: Range<Int>, _ points: [(x: Number, y: Number)]) -> BSON {
        guard isArea else {
            return range.count > 1 ? slope(points[range.lowerBound], points[range.upperBound - 1]) : .null
        }
        return range.isEmpty ? .null : area(range, points).bson
    }

    /// Returns the area below the rows of a window by the trapezoidal rule. It is computed anew for each window, since
    /// a difference of running sums would lose precision.
    private func area(_ range: Range<Int>, _ points: [(x: Number, y: Number)]) -> Number {
        var sum = NumberSum()
        sum.add(.double(0))
        for index in range.dropLast() { sum.add(area(points[index], points[index + 1])) }
        return sum.total
    }

    private func area(_ left: (x: Number, y: Number), _ right: (x: Number, y: Number)) -> Number {
        let width = right.x.subtracting(left.x)
        let height = left.y.subtracting(Number.int32(0).subtracting(right.y))
        if width.isDecimal || height.isDecimal {
            return .decimal(width.decimal.multiplied(by: height.decimal).divided(by: Decimal128(2)))
        }
        return .double(width.double * height.double / 2)
    }

    private func slope(_ left: (x: Number, y: Number), _ right: (x: Number, y: Number)) -> BSON {
        let (run, rise) = (right.x.subtracting(left.x), right.y.subtracting(left.y))
        guard !run.isZero else { return .null }
        return run.isDecimal || rise.isDecimal
            ? .decimal128(rise.decimal.divided(by: run.decimal)) : .double(rise.double / run.double)
    }

    /// Returns the horizontal coordinate of a row by its sort value: a number, or a date in units since 1970.
    private func place(_ value: BSON) throws -> Number {
        if case .datetime(let date) = value {
            guard let length = unit?.milliseconds else {
                throw MongoError(code: 5624901, "\(name) needs a 'unit' if the values of 'sortBy' are dates.")
            }
            return .double(Double(date.milliseconds) / Double(length))
        }
        guard unit == nil else {
            throw MongoError(code: 5624900, "\(name) with a 'unit' takes dates in 'sortBy', not \(value.type.alias).")
        }
        guard let number = Number(value) else {
            throw MongoError(code: 5624902, "\(name) takes numbers in 'sortBy', not \(value.type.alias).")
        }
        return number
    }

    private func number(_ value: BSON?) throws -> Number {
        guard let number = Number(value) else {
            throw MongoError(code: 5624903, "\(name) takes numbers as 'input', not \(value.typeName).")
        }
        return number
    }
}
