internal import SealiteValues

extension WindowFunctionKind {
    /// The window functions `$locf` and `$linearFill`, which replace values that are missing or null.
    static let fills: [WindowFunctionKind] = [
        .init("$locf") { operand, window, _, parser in
            try require(window == nil, 9, "$locf takes no 'window'.")
            return LastObservation(input: try parser.parse(operand))
        },
        .init("$linearFill") { operand, window, order, parser in
            try require(window == nil, 9, "$linearFill takes no 'window'.")
            try require(order?.keys.count == 1, 605001, "$linearFill needs 'sortBy' with one key.")
            return LinearFill(input: try parser.parse(operand))
        },
    ]
}

/// The window function `$locf`: the last value that isn't null or missing, carried forward.
struct LastObservation: WindowFunction {
    let input: ExpressionNode

    func visitValues(of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: Visit) throws {
        var last = BSON.null
        for row in partition.rows {
            evaluation.row = row
            if let value = try input.value(evaluation), !Optional(value).isNullish { last = value }
            try body(last)
        }
    }
}

/// The window function `$linearFill`: linear interpolation between the values before and after.
struct LinearFill: WindowFunction {
    let input: ExpressionNode

    func visitValues(of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: Visit) throws {
        try check(partition)
        var results: [BSON?] = []
        var last: Int?
        for (index, row) in partition.rows.enumerated() {
            evaluation.row = row
            let value = try input.value(evaluation)
            results.append(value.isNullish ? .null : value)
            guard !value.isNullish else { continue }
            let right = try requireNumber(value, 605004, "$linearFill takes numbers and null")
            if let last, last + 1 < index, let left = BSONNumber(results[last]) {
                for place in (last + 1)..<index {
                    results[place] = interpolated(left, right, partition, last, place, index)
                }
            }
            last = index
        }
        for result in results { try body(result) }
    }

    /// Throws `MongoError` if the rows of a partition aren't sorted by distinct numbers or dates.
    private func check(_ partition: Partition) throws {
        for index in partition.rows.indices {
            let value = partition.value(index)
            try require(
                BSONNumber(value) != nil || value.type == .datetime, 605002,
                "$linearFill takes numbers or dates in 'sortBy', not \(value.type.alias).")
            try require(
                index == 0 || !value.isSame(as: partition.value(index - 1)), 6050106,
                "The values of 'sortBy' of $linearFill must be distinct.")
        }
    }

    private func interpolated(
        _ left: BSONNumber, _ right: BSONNumber, _ partition: Partition, _ start: Int, _ place: Int, _ end: Int
    ) -> BSON {
        let places = [start, place, end].map { index -> BSONNumber in
            let value = partition.value(index)
            if case .datetime(let date) = value { return .int64(date.milliseconds) }
            return BSONNumber(value) ?? .int32(0)
        }
        let (part, whole) = (places[1].subtracting(places[0]), places[2].subtracting(places[0]))
        let rise = right.subtracting(left)
        if left.isDecimal || right.isDecimal || part.isDecimal || whole.isDecimal {
            let step = rise.decimal.multiplied(by: part.decimal).divided(by: whole.decimal)
            return .decimal128(left.decimal.adding(step))
        }
        return .double(left.double + rise.double * part.double / whole.double)
    }
}
